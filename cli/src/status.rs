//! Exit statuses.

use std::process::ExitCode;

use lab::Outcome;

/// The exit status. Of the statuses of several inputs, the greatest variant counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0: consistent, or done.
    #[default]
    Done,
    /// 3: undecided.
    Undecided,
    /// 130: interrupted by a signal. It is the status that shells report for SIGINT; SIGTERM and SIGHUP have it, too, since `ctrlc` does not
    /// tell which signal came.
    Interrupted,
    /// 1: a violation.
    Violation,
    /// 2: bad usage or input.
    Bad,
}

impl Status {
    /// The status of two inputs together: the first of 2, 1, 130, 3, 0 that occurred.
    pub fn and(self, other: Status) -> Status {
        self.max(other)
    }

    /// The exit status as a number.
    pub fn code(self) -> u8 {
        match self {
            Status::Done => 0,
            Status::Violation => 1,
            Status::Bad => 2,
            Status::Undecided => 3,
            Status::Interrupted => 130,
        }
    }
}

impl From<Outcome> for Status {
    fn from(outcome: Outcome) -> Status {
        match outcome {
            Outcome::Clean => Status::Done,
            Outcome::Undecided => Status::Undecided,
            Outcome::Found => Status::Violation,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{self, Bad, Done, Interrupted, Undecided, Violation};

    #[test]
    fn the_worst_input_decides() {
        let order = [Bad, Violation, Interrupted, Undecided, Done];
        assert_eq!(order.map(Status::code), [2, 1, 130, 3, 0]);
        for (at, &status) in order.iter().enumerate() {
            for &weaker in &order[at..] {
                assert_eq!(status.and(weaker), status);
                assert_eq!(weaker.and(status), status);
            }
        }
    }
}
