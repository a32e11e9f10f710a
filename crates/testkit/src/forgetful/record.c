// Runs a program and records, in order, every change it makes below one directory.
//
//     record LOG DIR PROGRAM [ARGUMENT]...
//
// A tracer rather than a preloaded library, because it sees every system call, however it is
// made: Rust libraries make some of them without going through libc. A seccomp filter stops the
// program only at calls that may change files. While one such call below DIR is carried out all
// others wait, so that the log has the order in which things happened.
//
// What was written is read back from the file, which serves all calls that write alike. Records
// are: type, inode (8 bytes), number (8 bytes), and two byte strings with their lengths (4 bytes)
// in front, integers in the machine's order. They are written at once: the log is good up to the
// moment when somebody kills us. What the program says on standard output is logged too, so that
// a test knows what had been promised at any point.
//
// With RECORD_FULL="FIRST COUNT PART" in the environment the disk is full for a while: of the calls
// that need room on it, below DIR and on paths that begin with PART, COUNT fail from the FIRST on
// (from 0). Where the first is a write, half of it still fits.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <elf.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#error "unknown machine"
#endif

static int log_fd;
static char dir[PATH_MAX];
static size_t dir_length;
static struct stat standard_output;
static long full_from = -1, full_count, calls_seen;
static char full_part[PATH_MAX];

static void fail(const char *what) {
    fprintf(stderr, "record: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void put(char type, uint64_t inode, uint64_t number, const void *a, uint32_t a_length,
                const void *b, uint32_t b_length) {
    struct iovec parts[] = {
        {&type, 1},         {&inode, 8},           {&number, 8}, {&a_length, 4},
        {(void *)a, a_length}, {&b_length, 4}, {(void *)b, b_length},
    };
    size_t length = 25 + (size_t)a_length + b_length;
    if (writev(log_fd, parts, 7) != (ssize_t)length)
        fail("cannot write the log");
}

static void unsupported(const char *what, const char *path) {
    put('x', 0, 0, what, strlen(what), path, strlen(path));
}

// ---- the traced program's view ----

static int read_text(pid_t task, uint64_t address, char *text) {
    size_t have = 0;
    while (have < PATH_MAX) {
        // Page by page: the text may end just before memory that is not there.
        size_t step = 4096 - (address + have) % 4096;
        if (step > PATH_MAX - have)
            step = PATH_MAX - have;
        struct iovec to = {text + have, step}, from = {(void *)(address + have), step};
        if (process_vm_readv(task, &to, 1, &from, 1, 0) != (ssize_t)step)
            return 0;
        if (memchr(text + have, 0, step))
            return 1;
        have += step;
    }
    return 0;
}

static uint64_t read_number(pid_t task, uint64_t address) {
    uint64_t number = 0;
    struct iovec to = {&number, 8}, from = {(void *)address, 8};
    if (process_vm_readv(task, &to, 1, &from, 1, 0) != 8)
        fail("cannot read a number");
    return number;
}

static int read_link(char *target, const char *format, ...) {
    char link[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(link, sizeof link, format, arguments);
    va_end(arguments);
    ssize_t length = readlink(link, target, PATH_MAX - 1);
    if (length < 0)
        return 0;
    target[length] = 0;
    return 1;
}

// Whether a path lies below the directory, and then where.
static const char *below(const char *path) {
    if (strncmp(path, dir, dir_length) != 0)
        return NULL;
    if (path[dir_length] == 0)
        return "";
    return path[dir_length] == '/' ? path + dir_length + 1 : NULL;
}

// The name a call means, as an absolute path without links in its parents.
static int resolve(pid_t task, int base, uint64_t address, char *path) {
    char text[PATH_MAX], joined[2 * PATH_MAX + 2], parent[PATH_MAX];
    if (!read_text(task, address, text))
        return 0;
    if (text[0] == '/') {
        strcpy(joined, text);
    } else {
        char from[PATH_MAX];
        if (!(base == AT_FDCWD ? read_link(from, "/proc/%d/cwd", task)
                               : read_link(from, "/proc/%d/fd/%d", task, base)))
            return 0;
        snprintf(joined, sizeof joined, "%s/%s", from, text);
    }
    size_t length = strlen(joined);
    while (length > 1 && joined[length - 1] == '/')
        joined[--length] = 0;
    char *slash = strrchr(joined, '/');
    *slash = 0;
    if (!realpath(slash == joined ? "/" : joined, parent))
        return 0;
    if (strlen(parent) + strlen(slash + 1) + 2 > PATH_MAX)
        return 0;
    sprintf(path, "%s/%s", strcmp(parent, "/") == 0 ? "" : parent, slash + 1);
    return 1;
}

struct open_file {
    int fd, append, synchronous;
    uint64_t position;
};

static struct open_file open_file(pid_t task, int fd) {
    char name[64], line[128];
    struct open_file file = {fd, 0, 0, 0};
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", task, fd);
    FILE *info = fopen(name, "re");
    if (!info)
        return file;
    while (fgets(line, sizeof line, info)) {
        if (strncmp(line, "pos:", 4) == 0)
            file.position = strtoull(line + 4, NULL, 10);
        if (strncmp(line, "flags:", 6) == 0) {
            unsigned long flags = strtoul(line + 6, NULL, 8);
            file.append = (flags & O_APPEND) != 0;
            file.synchronous = (flags & O_DSYNC) != 0;
        }
    }
    fclose(info);
    return file;
}

// Whether a descriptor is of a file or directory below ours.
static int ours(pid_t task, int fd, struct stat *status) {
    char path[PATH_MAX], name[64];
    if (!read_link(path, "/proc/%d/fd/%d", task, fd) || !below(path))
        return 0;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", task, fd);
    return stat(name, status) == 0 && (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode));
}

// ---- calls ----

struct call {
    pid_t task;
    uint64_t number;
    uint64_t argument[6];
    int64_t result;
};

// Lets the call happen. False if the program did not live to see its end.
static int perform(struct call *call) {
    int status;
    if (ptrace(PTRACE_SYSCALL, call->task, 0, 0) != 0)
        return 0;
    if (waitpid(call->task, &status, __WALL) != call->task || !WIFSTOPPED(status))
        return 0;
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, call->task, sizeof info, &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_EXIT)
        return 0;
    call->result = info.exit.rval;
    return 1;
}

// Where a call would need room: the path below the directory, or nothing.
static const char *needs_room(struct call *call, char *path) {
    uint64_t *a = call->argument;
    switch (call->number) {
#ifdef SYS_open
    case SYS_open:
        return a[1] & O_CREAT && resolve(call->task, AT_FDCWD, a[0], path) ? below(path) : NULL;
    case SYS_mkdir: return resolve(call->task, AT_FDCWD, a[0], path) ? below(path) : NULL;
#endif
    case SYS_openat:
        return a[2] & O_CREAT && resolve(call->task, a[0], a[1], path) ? below(path) : NULL;
    case SYS_mkdirat: return resolve(call->task, a[0], a[1], path) ? below(path) : NULL;
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_fallocate:
    case SYS_ftruncate:
    case SYS_fsync:
    case SYS_fdatasync: {
        struct stat status;
        if (!ours(call->task, a[0], &status) || !read_link(path, "/proc/%d/fd/%d", call->task, (int)a[0]))
            return NULL;
        return below(path);
    }
    }
    return NULL;
}

// Changes the stopped call: its number (-1 to leave it out), its result then, its third argument.
static void change(pid_t task, int leave_out, int64_t result, uint64_t third) {
    struct user_regs_struct registers;
    struct iovec whole = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, task, NT_PRSTATUS, &whole) != 0)
        fail("cannot read registers");
#if defined(__x86_64__)
    registers.rdx = third;
    if (leave_out) {
        registers.orig_rax = -1;
        registers.rax = result;
    }
#else
    registers.regs[2] = third;
    if (leave_out) {
        int none = -1;
        struct iovec number = {&none, sizeof none};
        if (ptrace(PTRACE_SETREGSET, task, NT_ARM_SYSTEM_CALL, &number) != 0)
            fail("cannot leave out a call");
        registers.regs[0] = result;
    }
#endif
    if (ptrace(PTRACE_SETREGSET, task, NT_PRSTATUS, &whole) != 0)
        fail("cannot write registers");
}

// Whether the disk is full for this call, which then has failed.
static int is_full(struct call *call) {
    char path[PATH_MAX];
    if (full_from < 0)
        return 0;
    const char *name = needs_room(call, path);
    if (!name || strncmp(name, full_part, strlen(full_part)) != 0)
        return 0;
    long at = calls_seen++ - full_from;
    if (at < 0 || at >= full_count)
        return 0;
    uint64_t length = call->argument[2];
    if (at == 0 && call->number == SYS_write && length > 1) {
        call->argument[2] = length / 2;
        change(call->task, 0, 0, length / 2);
        return 0;
    }
    change(call->task, 1, -ENOSPC, length);
    put('e', 0, 0, name, strlen(name), NULL, 0);
    return 1;
}

// Opens what a descriptor of the program is of, to read back what a call writes to it. Before the
// call: a program that ends takes its descriptors along, also while one of its calls is stopped.
static int open_copy(pid_t task, int fd) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", task, fd);
    return open(name, O_RDONLY | O_CLOEXEC);
}

// Logs what now stands in a file, and closes it.
static void put_content(uint64_t inode, int fd, uint64_t from, uint64_t length) {
    static char buffer[1 << 20];
    while (length > 0) {
        size_t step = length < sizeof buffer ? length : sizeof buffer;
        ssize_t got = pread(fd, buffer, step, from);
        if (got <= 0)
            break;
        put('w', inode, from, NULL, 0, buffer, got);
        from += got;
        length -= got;
    }
    close(fd);
}

static void on_output(struct call *call) {
    static char buffer[1 << 16];
    struct iovec whole = {(void *)call->argument[1], call->argument[2]};
    uint64_t pieces = call->number == SYS_writev ? call->argument[2] : 1;
    struct iovec from[pieces ? pieces : 1];
    from[0] = whole;
    if (call->number == SYS_writev) {
        struct iovec to = {from, sizeof from}, list = {(void *)call->argument[1], sizeof from};
        if (process_vm_readv(call->task, &to, 1, &list, 1, 0) != (ssize_t)sizeof from)
            return;
    }
    if (!perform(call) || call->result <= 0)
        return;
    size_t left = call->result;
    for (uint64_t i = 0; i < pieces && left > 0; i++) {
        size_t step = from[i].iov_len < left ? from[i].iov_len : left;
        if (step > sizeof buffer)
            step = sizeof buffer;
        struct iovec to = {buffer, step}, piece = {from[i].iov_base, step};
        if (step > 0 && process_vm_readv(call->task, &to, 1, &piece, 1, 0) == (ssize_t)step)
            put('o', 0, 0, NULL, 0, buffer, step);
        left -= step;
    }
}

static void on_write(struct call *call, int fd, int has_offset, uint64_t offset) {
    struct stat status;
    if (!ours(call->task, fd, &status)) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/fd/%d", call->task, fd);
        if ((call->number == SYS_write || call->number == SYS_writev) && stat(path, &status) == 0 &&
            status.st_dev == standard_output.st_dev && status.st_ino == standard_output.st_ino)
            on_output(call);
        return;
    }
    struct open_file file = open_file(call->task, fd);
    int copy = open_copy(call->task, fd);
    if (copy < 0)
        return; // The program has just ended.
    if (!perform(call) || call->result <= 0) {
        close(copy);
        return;
    }
    if (file.append)
        offset = status.st_size; // Linux appends, whatever the offset says.
    else if (!has_offset)
        offset = file.position;
    put_content(status.st_ino, copy, offset, call->result);
    if (file.synchronous)
        put('f', status.st_ino, 0, NULL, 0, NULL, 0);
}

static void on_truncate(struct call *call) {
    struct stat status;
    if (call->number == SYS_truncate) {
        char path[PATH_MAX];
        if (resolve(call->task, AT_FDCWD, call->argument[0], path) && below(path) &&
            stat(path, &status) == 0 && perform(call) && call->result == 0)
            put('t', status.st_ino, call->argument[1], NULL, 0, NULL, 0);
    } else if (ours(call->task, call->argument[0], &status) && perform(call) && call->result == 0) {
        put('t', status.st_ino, call->argument[1], NULL, 0, NULL, 0);
    }
}

static void on_allocate(struct call *call) {
    struct stat before, after;
    if (!ours(call->task, call->argument[0], &before))
        return;
    int copy = open_copy(call->task, call->argument[0]);
    if (copy < 0)
        return; // The program has just ended.
    if (!perform(call) || call->result != 0 || fstat(copy, &after) != 0) {
        close(copy);
        return;
    }
    if (after.st_size != before.st_size)
        put('t', after.st_ino, after.st_size, NULL, 0, NULL, 0);
    int mode = call->argument[1];
    if (mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)) {
        unsupported("fallocate that moves data", "");
    } else if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
        return put_content(after.st_ino, copy, call->argument[2], call->argument[3]);
    }
    close(copy);
}

static void on_sync(struct call *call) {
    struct stat status;
    if (ours(call->task, call->argument[0], &status) && perform(call) && call->result == 0)
        put(S_ISDIR(status.st_mode) ? 'F' : 'f', status.st_ino, 0, NULL, 0, NULL, 0);
}

static void on_open(struct call *call, int base, uint64_t address, uint64_t flags) {
    char path[PATH_MAX];
    struct stat before, after;
    if (!(flags & (O_CREAT | O_TRUNC)) && (flags & O_TMPFILE) != O_TMPFILE)
        return;
    if (!resolve(call->task, base, address, path) || !below(path))
        return;
    const char *name = below(path);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return unsupported("a file without a name", name);
    int existed = lstat(path, &before) == 0;
    if (existed && S_ISLNK(before.st_mode))
        return unsupported("opening through a link", name);
    if (!perform(call) || call->result < 0 || lstat(path, &after) != 0 || !S_ISREG(after.st_mode))
        return;
    if (!existed)
        put('c', after.st_ino, 0, name, strlen(name), NULL, 0);
    else if ((flags & O_TRUNC) && before.st_size > 0)
        put('t', after.st_ino, 0, NULL, 0, NULL, 0);
}

static void on_make_dir(struct call *call, int base, uint64_t address) {
    char path[PATH_MAX];
    struct stat status;
    if (resolve(call->task, base, address, path) && below(path) && perform(call) &&
        call->result == 0 && lstat(path, &status) == 0)
        put('d', status.st_ino, 0, below(path), strlen(below(path)), NULL, 0);
}

// A socket holds nothing that a power cut could take: its name is no part of the disk.
static int is_socket(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

static void on_remove(struct call *call, int base, uint64_t address) {
    char path[PATH_MAX];
    if (resolve(call->task, base, address, path) && below(path) && !is_socket(path) && perform(call) &&
        call->result == 0)
        put('u', 0, 0, below(path), strlen(below(path)), NULL, 0);
}

static void on_rename(struct call *call, int from_base, uint64_t from_address, int to_base,
                      uint64_t to_address, uint64_t flags) {
    char from[PATH_MAX], to[PATH_MAX];
    struct stat status;
    if (!resolve(call->task, from_base, from_address, from) ||
        !resolve(call->task, to_base, to_address, to))
        return;
    const char *old = below(from), *new = below(to);
    if (is_socket(from))
        return;
    if ((!old && !new) || lstat(from, &status) != 0 || !perform(call) || call->result != 0)
        return;
    if (flags & RENAME_EXCHANGE)
        return unsupported("an exchange of names", old ? old : new);
    if (old && new)
        return put('r', 0, 0, old, strlen(old), new, strlen(new));
    if (old)
        return put('u', 0, 0, old, strlen(old), NULL, 0);
    if (!S_ISREG(status.st_mode))
        return unsupported("something other than a file moved here", new);
    put('c', status.st_ino, 0, new, strlen(new), NULL, 0);
    int moved = open(to, O_RDONLY | O_CLOEXEC);
    if (moved < 0)
        fail("cannot read back what was moved here");
    put_content(status.st_ino, moved, 0, status.st_size);
}

static void on_link(struct call *call, int base, uint64_t address) {
    char path[PATH_MAX];
    struct stat status;
    if (resolve(call->task, base, address, path) && below(path) && perform(call) &&
        call->result == 0 && lstat(path, &status) == 0)
        put('l', status.st_ino, 0, below(path), strlen(below(path)), NULL, 0);
}

static void on_symbolic_link(struct call *call, int base, uint64_t address) {
    char path[PATH_MAX];
    if (resolve(call->task, base, address, path) && below(path))
        unsupported("a symbolic link", below(path));
}

static void on_map(struct call *call) {
    struct stat status;
    if ((call->argument[2] & PROT_WRITE) && (call->argument[3] & MAP_SHARED) &&
        ours(call->task, call->argument[4], &status))
        put('m', status.st_ino, 0, NULL, 0, NULL, 0);
}

static void on_call(struct call *call) {
    uint64_t *a = call->argument;
    switch (call->number) {
#ifdef SYS_open
    case SYS_open: return on_open(call, AT_FDCWD, a[0], a[1]);
    case SYS_creat: return on_open(call, AT_FDCWD, a[0], O_CREAT | O_TRUNC);
    case SYS_rename: return on_rename(call, AT_FDCWD, a[0], AT_FDCWD, a[1], 0);
    case SYS_unlink:
    case SYS_rmdir: return on_remove(call, AT_FDCWD, a[0]);
    case SYS_mkdir: return on_make_dir(call, AT_FDCWD, a[0]);
    case SYS_link: return on_link(call, AT_FDCWD, a[1]);
    case SYS_symlink: return on_symbolic_link(call, AT_FDCWD, a[1]);
#endif
    case SYS_openat: return on_open(call, a[0], a[1], a[2]);
    case SYS_openat2: return on_open(call, a[0], a[1], read_number(call->task, a[2]));
#ifdef SYS_renameat
    case SYS_renameat: return on_rename(call, a[0], a[1], a[2], a[3], 0);
#endif
    case SYS_renameat2: return on_rename(call, a[0], a[1], a[2], a[3], a[4]);
    case SYS_unlinkat: return on_remove(call, a[0], a[1]);
    case SYS_mkdirat: return on_make_dir(call, a[0], a[1]);
    case SYS_linkat: return on_link(call, a[2], a[3]);
    case SYS_symlinkat: return on_symbolic_link(call, a[1], a[2]);
    case SYS_write:
    case SYS_writev: return on_write(call, a[0], 0, 0);
    case SYS_pwrite64:
    case SYS_pwritev: return on_write(call, a[0], 1, a[3]);
    case SYS_pwritev2: return on_write(call, a[0], (int64_t)a[3] != -1, a[3]);
    case SYS_sendfile: return on_write(call, a[0], 0, 0);
    case SYS_copy_file_range:
    case SYS_splice: return on_write(call, a[2], a[3] != 0, a[3] ? read_number(call->task, a[3]) : 0);
    case SYS_truncate:
    case SYS_ftruncate: return on_truncate(call);
    case SYS_fallocate: return on_allocate(call);
    case SYS_fsync:
    case SYS_fdatasync: return on_sync(call);
    case SYS_sync:
    case SYS_syncfs:
        if (perform(call) && call->result == 0)
            put('S', 0, 0, NULL, 0, NULL, 0);
        return;
    case SYS_mmap: return on_map(call);
    case SYS_io_uring_setup: return unsupported("io_uring", "");
    case SYS_io_submit: return unsupported("asynchronous writes", "");
    }
}

// ---- the tracer ----

static const int traced[] = {
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_link, SYS_symlink,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_openat2, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_write,
    SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, SYS_sendfile, SYS_copy_file_range,
    SYS_splice, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_sync,
    SYS_syncfs, SYS_io_uring_setup, SYS_io_submit,
};

static void install_filter(void) {
    enum { COUNT = sizeof traced / sizeof *traced };
    struct sock_filter code[COUNT * 2 + 24];
    int n = 0;
#define DATA(field) offsetof(struct seccomp_data, field)
#define ADD(...) code[n++] = (struct sock_filter)__VA_ARGS__
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(arch)));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(nr)));
    for (int i = 0; i < COUNT; i++) {
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)traced[i], 0, 1));
        ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    }
    // Most files are opened to be read, and most memory is not a shared file.
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(args[2])));
    ADD(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY), 0, 1));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(args[3])));
    ADD(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    struct sock_fprog program = {n, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        fail("cannot install the filter");
}

static void on_stop(pid_t task, int status) {
    int event = status >> 16, received = WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP) {
        struct __ptrace_syscall_info info;
        struct call call = {.task = task};
        if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof info, &info) > 0 &&
            info.op == PTRACE_SYSCALL_INFO_SECCOMP) {
            call.number = info.seccomp.nr;
            memcpy(call.argument, info.seccomp.args, sizeof call.argument);
            if (!is_full(&call))
                on_call(&call);
        }
        ptrace(PTRACE_CONT, task, 0, 0);
    } else if (event == PTRACE_EVENT_STOP && received != SIGTRAP) {
        ptrace(PTRACE_LISTEN, task, 0, 0);
    } else {
        ptrace(PTRACE_CONT, task, 0, event == 0 && received != (SIGTRAP | 0x80) ? received : 0);
    }
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: record LOG DIR PROGRAM [ARGUMENT]...\n");
        return 125;
    }
    log_fd = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (log_fd < 0 || !realpath(arguments[2], dir))
        fail("cannot start");
    dir_length = strlen(dir);
    fstat(STDOUT_FILENO, &standard_output);
    const char *full = getenv("RECORD_FULL");
    if (full && sscanf(full, "%ld %ld %4000s", &full_from, &full_count, full_part) < 2)
        fail("RECORD_FULL");
    int go[2];
    if (pipe2(go, O_CLOEXEC) != 0)
        fail("pipe");
    pid_t program = fork();
    if (program == 0) {
        char byte;
        if (read(go[0], &byte, 1) != 1)
            _exit(125);
        install_filter();
        execvp(arguments[3], arguments + 3);
        fail(arguments[3]);
    }
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD |
                   PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACEEXEC;
    if (program < 0 || ptrace(PTRACE_SEIZE, program, 0, options) != 0)
        fail("cannot trace");
    if (write(go[1], "", 1) != 1)
        fail("cannot start the program");
    int outcome = 125, status;
    for (;;) {
        pid_t task = waitpid(-1, &status, __WALL);
        if (task < 0 && errno == EINTR)
            continue;
        if (task < 0)
            break;
        if (WIFSTOPPED(status))
            on_stop(task, status);
        else if (task == program)
            outcome = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (full_from >= 0)
        put('n', 0, calls_seen, NULL, 0, NULL, 0);
    return outcome;
}
