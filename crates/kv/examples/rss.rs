//! Temporary.
use kv::*;
const A: Table<u128, u64> = Table::new("a").point_reads();
const B: Table<(u64, u64), Vec<u8>> = Table::new("b").scans();
const C: Table<(u64, u32), Vec<u8>> = Table::new("c");
const D: Table<(u128, u128), ()> = Table::new("d").scans();
fn rss() -> u64 { std::fs::read_to_string("/proc/self/status").unwrap().lines().find(|l| l.starts_with("RssAnon")).unwrap().split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024 }
fn main() {
    let cache: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let rounds: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Options { cache_bytes: cache << 20, ..Options::default() }).unwrap();
    let (mut n, mut peak) = (0u64, 0);
    let mut x = testkit::Seed::new(1);
    for i in 1..=rounds {
        let mut batch = store.batch();
        for _ in 0..100 {
            for _ in 0..50 { n += 1; let h = u128::from(x.number()) << 64 | u128::from(x.number());
              let _ = store.get(&A, &h); batch.put(&A, &h, &n); batch.put(&D, &(h, h / 3), &()); batch.put(&B, &(x.number() % 1000, n), &vec![7; 80]); }
            batch.put(&C, &(x.number(), 1), &x.bytes(600));
        }
        store.commit(batch, Durability::Synced).unwrap();
        peak = peak.max(rss());
        if i % 150 == 0 { println!("cache {cache} rows {}M rss {} peak {peak} MiB disk {}", n * 3 / 1_000_000, rss(), store.disk_bytes().unwrap() >> 20); }
    }
}
