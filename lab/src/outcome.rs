//! [`Outcome`]: what runs, a series of them or an exploration came to.

/// What runs came to. Of several outcomes together, the greatest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing is wrong.
    #[default]
    Clean,
    /// A limit came first, or it is not known for another reason.
    Undecided,
    /// Something is wrong.
    Found,
}

impl Outcome {
    /// The exit status of a command whose runs came to this.
    pub fn status(self) -> u8 {
        match self {
            Outcome::Clean => 0,
            Outcome::Found => 1,
            Outcome::Undecided => 3,
        }
    }

    /// The outcome with an exit status.
    pub(crate) fn of_status(status: u8) -> Outcome {
        match status {
            0 => Outcome::Clean,
            1 => Outcome::Found,
            _ => Outcome::Undecided,
        }
    }

    /// The outcome if something was found, or else was stopped by a limit.
    pub(crate) fn of(is_found: bool, is_stopped: bool) -> Outcome {
        match (is_found, is_stopped) {
            (true, _) => Outcome::Found,
            (false, true) => Outcome::Undecided,
            (false, false) => Outcome::Clean,
        }
    }
}
