//! `rubric generate program`: the programs of `rubric simulate`, for the cores of the plug-in for gem5.

use std::io::Write;
use std::path::{Path, PathBuf};

use lab::protocols::Opened;
use simulate::client::Client;
use simulate::config::Options;
use simulate::program::{Heading, ProgramSize, WeakShares};
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Simulation;

use crate::error::Error;
use crate::files;
use crate::simulate::extras::ExtrasArgs;
use crate::simulate::options::{Counts, DRAWN_PROGRAM, Program};
use crate::simulate::parse;
use crate::status::Status;

/// Generate the random programs that `rubric simulate` runs, as text for RubricTester in gem5
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric generate program MESI_Two_Level --seed 7 -o program.txt
  rubric generate program MI_example --threads 8 --operations 200 --rmws 10 --fences 5
  rubric generate program MOESI_hammer --recipe 17 --runs 100 -o programs.txt
  rubric generate program MESI_Two_Level --client rvwmo-ooo-8 --rmws 10 -o program.txt

The same protocol, options and seed are the same program in `rubric simulate` and here. The protocol decides what a
program may ask for: without locked accesses, every read-modify-write is a load-linked with a
store-conditional. `rubric generate --program` is another way to write the command; docs/formats.md has the format.")]
pub(super) struct Args {
    /// The protocol that is to run the program: a built-in name, or the path of a `.slicc` file
    #[arg(value_name = "PROTOCOL")]
    protocol: String,

    #[command(flatten)]
    counts: Counts,

    #[command(flatten)]
    extras: ExtrasArgs,

    /// The cores that are to run the program: for those of a weak model, such as rvwmo-ooo-8, it has dependencies, annotations
    /// and weak fences, and says what the model preserves of program order
    #[arg(long, value_name = "KIND", default_value = "in-order")]
    client: Client,

    /// Seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The program of a recipe, as `rubric campaign` and `rubric simulate --recipe` draw it
    #[arg(long, value_name = "RECIPE", conflicts_with_all = DRAWN_PROGRAM)]
    recipe: Option<Lineage>,

    /// Write so many programs, with the seed, the seed + 1 and so on
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse::positive)]
    runs: u32,

    /// The output; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    program: Program,
}

/// Runs the command.
pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    args.check()?;
    let opened = Opened::new(&args.protocol, None)?;
    if args.output == Path::new("-") {
        args.write(&opened, out)?;
    } else {
        files::create(&args.output, |out| args.write(&opened, out))?;
    }
    Ok(Status::Done)
}

impl Args {
    fn check(&self) -> Result<(), Error> {
        if let Some(option) = self.program.has_weak().filter(|_| !self.client.model().is_weak()) {
            return Err(Error::Usage(format!(
                "{option}: cores {} keep no weak model, so programs for them have no such orderings; choose --client rvwmo-ooo-8 \
                 or the like",
                self.client
            )));
        }
        let is_varied = self.recipe.as_ref().is_some_and(|it| !it.variations().is_empty());
        if self.runs > 1 && is_varied {
            return Err(Error::Usage(
                "--recipe: a recipe that was varied is for one run: leave --runs out, or name a seed \
                 alone"
                    .to_owned(),
            ));
        }
        if self.recipe.as_ref().is_some_and(|recipe| recipe.extras().functional > 0) {
            return Err(Error::Usage(
                "--recipe: functional accesses are drawn when a simulated core runs, so no program has them: leave \
                 +functional out"
                    .to_owned(),
            ));
        }
        let recipe = self.recipe.as_ref().map_or(0, |recipe| recipe.extras().dvm);
        if recipe + self.extras.dvm.unwrap_or(0) > 0 {
            return Err(Error::Usage(
                "--dvm: the format of programs has no TLB invalidations, since the cores in gem5 make none: leave --dvm and \
                 +dvm out"
                    .to_owned(),
            ));
        }
        match self.program.shape(&self.counts, &self.extras, self.seed) {
            shape if shape.rmws + shape.fences > 100 => Err(Error::Usage(
                "--rmws and --fences together are more than 100 of 100 operations".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn write(&self, opened: &Opened, out: &mut dyn Write) -> Result<(), Error> {
        opened.check_extras(self.recipe.as_ref().map_or(self.extras.extras(), Lineage::extras))?;
        for run in 0..u64::from(self.runs) {
            let simulation = self.simulation(opened, run);
            opened.plan(&simulation)?;
            let heading = Heading {
                name: &self.name(opened, run),
                seed: simulation.timing(),
                line_bytes: simulation.shape.line_bytes,
                model: Some(self.client.model()).filter(|model| model.is_weak()),
            };
            let program = simulation.program(&opened.protocol);
            program.write(heading, out).map_err(Error::Output)?;
        }
        Ok(())
    }

    fn simulation(&self, opened: &Opened, run: u64) -> Simulation {
        let client = self.client;
        match self.lineage(run) {
            Some(lineage) => Recipe::of(&lineage).simulation(&opened.protocol, client),
            None => Simulation {
                shape: self.shape(run),
                client,
                options: Options::default(),
                deadlock_threshold: None,
            },
        }
    }

    fn shape(&self, run: u64) -> ProgramSize {
        ProgramSize {
            weak: WeakShares::given(self.client.model(), self.program.weak_options()),
            ..self.program.shape(&self.counts, &self.extras, self.seed.wrapping_add(run))
        }
    }

    fn lineage(&self, run: u64) -> Option<Lineage> {
        let recipe = self.recipe.as_ref()?;
        if run == 0 {
            return Some(recipe.clone());
        }
        let seed = recipe.seed().wrapping_add(run);
        Some(Lineage::root(seed).with_extras(recipe.extras()))
    }

    /// The name of a program: the protocol, and the seed or the recipe.
    fn name(&self, opened: &Opened, run: u64) -> String {
        let protocol = opened.protocol.name();
        match self.lineage(run) {
            Some(lineage) => format!("{protocol} --recipe {lineage}"),
            None => format!("{protocol} --seed {}", self.shape(run).seed),
        }
    }
}
