//! A bipartite buffer: one thread commits two bytes, the other one reads what has been committed.
use bbqueue::BBBuffer;
use std::thread;

static BUFFER: BBBuffer<6> = BBBuffer::new();

fn main() {
    let (mut producer, mut consumer) = BUFFER.try_split().unwrap();
    let writer = thread::spawn(move || {
        let mut grant = producer.grant_exact(2).unwrap();
        grant[0] = 1;
        grant[1] = 2;
        grant.commit(2);
    });
    if let Ok(grant) = consumer.read() {
        assert!(grant.len() == 2 && grant[0] == 1 && grant[1] == 2);
        grant.release(2);
    }
    writer.join().unwrap();
}
