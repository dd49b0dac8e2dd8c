//! Completions for shells and manual pages: `rubric completions` and `rubric man`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::error::Error;
use crate::files;
use crate::files::failed;
use crate::status::Status;
use crate::words;

/// The shells.
const SHELLS: &[Shell] = &[Shell::Bash, Shell::Zsh, Shell::Fish];

/// The name of a shell on the command line. Shells outside of [`SHELLS`] cannot be chosen.
fn shell_name(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => "zsh",
        Shell::Fish => "fish",
        Shell::Bash => "bash",
        _ => "another shell",
    }
}

/// Print what a shell needs to complete commands and options
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric completions bash > ~/.local/share/bash-completion/completions/rubric
  rubric completions zsh > ~/.zfunc/_rubric
  rubric completions fish > ~/.config/fish/completions/rubric.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = words::one_of(SHELLS, shell_name))]
    shell: Shell,
}

/// Write manual pages: one for the program and one for each command
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric man ~/.local/share/man/man1
  rubric man /tmp/man && man /tmp/man/rubric-check.1")]
pub struct ManPages {
    /// The folder to write them into
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints completions.
pub fn completions<C: CommandFactory>(
    args: &Completions,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    // The text is built in memory first, since `clap_complete` panics if a pipe closes.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut C::command(), "rubric", &mut text);
    out.write_all(&text).map_err(Error::Output)?;
    Ok(Status::Done)
}

/// Writes manual pages.
pub fn man_pages<C: CommandFactory>(args: &ManPages, out: &mut dyn Write) -> Result<Status, Error> {
    std::fs::create_dir_all(&args.folder).map_err(failed(&args.folder))?;
    let mut command = C::command().disable_help_subcommand(true);
    command.build();
    let mut count = 0;
    pages(&command, "rubric", &args.folder, &mut count)?;
    writeln!(out, "written: {count} pages in {}", args.folder.display()).map_err(Error::Output)?;
    Ok(Status::Done)
}

/// Writes the page of a command and those of the commands below it.
fn pages(
    command: &clap::Command,
    name: &str,
    folder: &Path,
    count: &mut usize,
) -> Result<(), Error> {
    let page = render(command, name).map_err(Error::Output)?;
    files::create(&folder.join(format!("{name}.1")), |file| {
        file.write_all(&page).map_err(Error::Output)
    })?;
    *count += 1;
    for below in command.get_subcommands() {
        pages(below, &format!("{name}-{}", below.get_name()), folder, count)?;
    }
    Ok(())
}

fn render(command: &clap::Command, name: &str) -> io::Result<Vec<u8>> {
    let title = name.to_owned();
    let man = Man::new(command.clone().display_name(title.clone())).title(title);
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(page)
}
