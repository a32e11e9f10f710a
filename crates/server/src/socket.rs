//! The socket file: ours alone, in place of whatever a dead owner left, gone when we are.

use std::fs::{self, File, Permissions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use service::Data;
use tokio::net::UnixListener;

use crate::ServerError;

/// Longer paths do not fit a socket's address.
const LONGEST_PATH: usize = 100;

/// A socket that listens.
pub(crate) struct Socket {
    listener: UnixListener,
    guard: Guard,
}

/// Removes the file at the end, if it is still ours.
pub(crate) struct Guard {
    path: PathBuf,
    inode: u64,
}

impl Socket {
    /// Only the owner of the directory may call this: whatever socket is there is taken for a dead one's.
    pub(crate) fn bind(dir: &Path) -> Result<Socket, ServerError> {
        let path = Data::socket_path(dir);
        let new = path.with_extension("sock.new");
        let failed = |action: &'static str, path: &Path| {
            let path = path.to_owned();
            move |source| ServerError::Io { action, path, source }
        };
        if let Err(error) = fs::remove_file(&new)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(failed("remove", &new)(error));
        }
        // Under another name first, so that nobody meets it before its mode is set.
        let listener =
            with_short_path(&new, |path| UnixListener::bind(path)).map_err(failed("listen on", &path))?;
        fs::set_permissions(&new, Permissions::from_mode(0o600)).map_err(failed("set the mode of", &new))?;
        let inode = fs::symlink_metadata(&new).map_err(failed("inspect", &new))?.ino();
        fs::rename(&new, &path).map_err(failed("listen on", &path))?;
        Ok(Socket { listener, guard: Guard { path, inode } })
    }

    pub(crate) fn listen(self) -> (UnixListener, Guard) {
        (self.listener, self.guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A socket's address holds about a hundred bytes; a longer path is reached through its open directory.
pub(crate) fn with_short_path<T>(
    path: &Path,
    action: impl FnOnce(&Path) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return action(path) };
    if path.as_os_str().len() <= LONGEST_PATH || dir.as_os_str().is_empty() {
        return action(path);
    }
    let dir = File::open(dir)?;
    action(&Path::new(&format!("/proc/self/fd/{}", dir.as_raw_fd())).join(name))
}
