//! The experiment `mutants`: a campaign, whose tables are in a folder of their own.

use std::io::Write;

use clap::Parser;

use super::args::Args;
use super::catalog::MUTANTS;
use crate::campaign;
use crate::error::Error;
use crate::status::Status;

/// The command line of a campaign.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Whole {
    #[command(flatten)]
    args: campaign::Args,
}

/// Runs the campaign.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let (sample, runs) = args.size.of(("60", "20"), ("400", "150"), ("all", "150"));
    let folder = args.output.join(MUTANTS).display().to_string();
    let seed = args.seed.to_string();
    let shard = args.shard.map(|shard| shard.to_string());
    let mut words = vec![
        "all", "--sample", sample, "--runs", runs, "--seed", &seed, "-o", &folder,
    ];
    if let Some(shard) = &shard {
        words.extend(["--shard", shard]);
    }
    if args.quiet {
        words.push("--quiet");
    }
    let whole = Whole::try_parse_from(words).map_err(|error| Error::Usage(error.to_string()))?;
    campaign::run(&whole.args, out)
}
