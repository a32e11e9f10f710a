//! Temporary.
use kv::*;
const A: Table<u128, u64> = Table::new("a").point_reads();
const B: Table<(u64, u64), Vec<u8>> = Table::new("b").scans();
const C: Table<(u64, u32), Vec<u8>> = Table::new("c");
const D: Table<(u128, u128), ()> = Table::new("d").scans();
fn rss() -> String {
    std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .filter(|l| l.starts_with("RssAnon"))
        .collect()
}
fn main() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Options::default()).unwrap();
    let mut n = 0u64;
    let mut x = testkit::Seed::new(1);
    let t = std::time::Instant::now();
    for i in 0..400 {
        let mut batch = store.batch();
        for _ in 0..100 {
            for _ in 0..50 {
                n += 1;
                let h = u128::from(x.number()) << 64 | u128::from(x.number());
                let _ = store.get(&A, &h);
                batch.put(&A, &h, &n);
                batch.put(&D, &(h, h / 3), &());
                batch.put(&B, &(x.number() % 1000, n), &vec![7; 80]);
            }
            batch.put(&C, &(x.number(), 1), &x.bytes(600));
        }
        store.commit(batch, Durability::Synced).unwrap();
        if i % 50 == 49 {
            println!(
                "{i} {} {:.1}s disk {}",
                rss(),
                t.elapsed().as_secs_f32(),
                store.disk_bytes().unwrap() >> 20
            );
        }
    }
}
