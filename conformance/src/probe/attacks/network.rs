//! Sockets of every kind.

use std::mem::size_of;

use wit_worker::sandbox::Layer::{Landlock, Rlimits, Seccomp};

use super::super::raw::{attempt, syscall};
use super::super::{Context, Expect, Outcome};
use super::{Arm, Attack, arm, landlock};

/// `AF_INET` and `AF_UNIX` as they stand in addresses, the same on every machine.
const INET: u16 = 2;
const UNIX: u16 = 1;

const SOCKET_ARMS: &[Arm] =
    &[arm(Seccomp, &[Rlimits], Expect::Violation), arm(Rlimits, &[Seccomp], Expect::Errno(&[libc::EMFILE]))];

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "socket_inet",
        what: "Reach the network.",
        full: Expect::Violation,
        arms: SOCKET_ARMS,
        run: |_| socket(libc::AF_INET, libc::SOCK_STREAM),
    },
    Attack {
        name: "socket_udp",
        what: "Send a datagram, a name query for one.",
        full: Expect::Violation,
        arms: SOCKET_ARMS,
        run: |_| socket(libc::AF_INET, libc::SOCK_DGRAM),
    },
    Attack {
        name: "socket_unix",
        what: "Reach services of the host.",
        full: Expect::Violation,
        arms: SOCKET_ARMS,
        run: |_| socket(libc::AF_UNIX, libc::SOCK_STREAM),
    },
    Attack {
        name: "socket_netlink",
        what: "Reach the kernel's netlink families.",
        full: Expect::Violation,
        arms: SOCKET_ARMS,
        run: |_| socket(libc::AF_NETLINK, libc::SOCK_RAW),
    },
    Attack {
        name: "socketpair",
        what: "Make a channel that can carry descriptors.",
        full: Expect::Violation,
        arms: SOCKET_ARMS,
        run: |_| {
            let mut pair: [libc::c_int; 2] = [0; 2];
            let kind = libc::SOCK_STREAM as u64;
            attempt(libc::SYS_socketpair, [libc::AF_UNIX as u64, kind, 0, pair.as_mut_ptr() as u64, 0, 0])
        },
    },
    Attack {
        name: "connect_tcp",
        what: "Talk to a service on the loopback interface.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
            landlock(4, &[Seccomp, Rlimits], Expect::Errno(&[libc::EACCES])),
        ],
        run: connect_tcp,
    },
    Attack {
        name: "connect_abstract",
        what: "Talk to a service behind an abstract socket (a desktop bus, a container runtime).",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
            landlock(6, &[Seccomp, Rlimits], Expect::Errno(&[libc::EPERM])),
        ],
        run: connect_abstract,
    },
];

fn socket(family: i32, kind: i32) -> Outcome {
    attempt(libc::SYS_socket, [family as u64, kind as u64, 0, 0, 0, 0])
}

fn connect(family: i32, address: *const u8, length: usize) -> Outcome {
    match syscall(libc::SYS_socket, [family as u64, libc::SOCK_STREAM as u64, 0, 0, 0, 0]) {
        Ok(socket) => attempt(libc::SYS_connect, [socket, address as u64, length as u64, 0, 0, 0]),
        Err(number) => Outcome::Refused(number),
    }
}

fn connect_tcp(context: &Context) -> Outcome {
    let address = libc::sockaddr_in {
        sin_family: INET,
        sin_port: context.port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes([127, 0, 0, 1]) },
        sin_zero: [0; 8],
    };
    connect(libc::AF_INET, (&raw const address).cast(), size_of::<libc::sockaddr_in>())
}

fn connect_abstract(context: &Context) -> Outcome {
    // Family, then a zero byte, then the name: that makes it abstract.
    let mut address = Vec::from(UNIX.to_ne_bytes());
    address.push(0);
    address.extend(context.socket.as_bytes());
    connect(libc::AF_UNIX, address.as_ptr(), address.len())
}
