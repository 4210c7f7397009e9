//! A panic in one request must not end the server: it becomes that request's failure.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The future panicked; the hook has logged where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Panicked;

/// Resolves to what the future resolves to, or to [`Panicked`].
pub(super) struct CatchPanic<F>(Pin<Box<F>>);

impl<F> CatchPanic<F> {
    pub(super) fn new(future: F) -> Self {
        Self(Box::pin(future))
    }
}

impl<F: Future> Future for CatchPanic<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.0.as_mut();
        // Unwind safety: after a panic the future is never polled again, only dropped with `self`.
        match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_value_and_a_value_is_itself() {
        assert_eq!(CatchPanic::new(async { 1 }).await, Ok(1));
        let panics = CatchPanic::new(async {
            tokio::task::yield_now().await;
            panic!("deliberate");
        });
        assert_eq!(panics.await, Err::<(), _>(Panicked));
    }
}
