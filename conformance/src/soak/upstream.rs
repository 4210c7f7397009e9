//! What stands behind `--github-url` in a soak: names of one owner hang, everything else is closed at once.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Starts it on a loopback port; it lives as long as this process.
///
/// # Errors
/// When no port can be had.
pub(super) fn start() -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    Ok(address)
}

fn serve(mut stream: TcpStream) {
    let mut head = [0; 2048];
    let patience = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let Ok(count @ 1..) = patience.and_then(|()| stream.read(&mut head)) else { return };
    let hangs = head.get(..count).is_some_and(|head| head.windows(6).any(|window| window == b"/slow/"));
    if hangs {
        // Silence until the other side has had enough.
        while let Ok(1..) = stream.read(&mut head) {}
    }
}
