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

/// The shells that completions are made for.
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

/// Print or install what a shell needs to complete commands and options
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric completions bash --install
  rubric completions zsh --install
  rubric completions fish > ~/.config/fish/completions/rubric.fish

--install writes to the user's own folder of completions: for bash bash-completion/completions in XDG_DATA_HOME or
~/.local/share, for fish fish/completions in XDG_CONFIG_HOME or ~/.config, for zsh ~/.zfunc.")]
pub(crate) struct Completions {
    /// The shell [default with --install: the one that SHELL names]
    #[arg(value_name = "SHELL", required_unless_present = "install", value_parser = words::one_of(SHELLS, shell_name))]
    shell: Option<Shell>,

    /// Write them to where the shell looks for them, instead of printing them
    #[arg(long)]
    install: bool,
}

impl Completions {
    /// The shell that the user asks for, or else the user's own.
    fn shell(&self) -> Result<Shell, Error> {
        let own = || {
            let path = PathBuf::from(std::env::var_os("SHELL")?);
            let name = path.file_name()?.to_str()?.to_owned();
            SHELLS.iter().copied().find(|&shell| shell_name(shell) == name)
        };
        self.shell.or_else(own).ok_or_else(|| {
            Error::Usage("SHELL does not name bash, zsh or fish: name the shell, as in `rubric completions bash --install`".to_owned())
        })
    }
}

/// The file in which a shell looks for completions of this program, and a further step for the user, if there is one.
fn place(shell: Shell) -> Result<(PathBuf, Option<&'static str>), Error> {
    let variable =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = variable("HOME");
    let below_home = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let file = match shell {
        Shell::Bash => variable("XDG_DATA_HOME")
            .or_else(|| below_home(".local/share"))
            .map(|data| data.join("bash-completion/completions/rubric")),
        Shell::Fish => variable("XDG_CONFIG_HOME")
            .or_else(|| below_home(".config"))
            .map(|config| config.join("fish/completions/rubric.fish")),
        _ => below_home(".zfunc").map(|folder| folder.join("_rubric")),
    };
    let more = "add these lines to ~/.zshrc, if they are not there: fpath+=~/.zfunc; autoload -Uz compinit; compinit";
    let file = file.ok_or_else(|| {
        Error::Usage("HOME is not set: print the completions, and store them yourself".to_owned())
    })?;
    Ok((file, (shell == Shell::Zsh).then_some(more)))
}

/// Write manual pages: one for the program and one for each command
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric man ~/.local/share/man/man1
  rubric man --markdown docs
  rubric man /tmp/man && man /tmp/man/rubric-check.1")]
pub(crate) struct ManPages {
    /// The folder to write them into
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Write the help of all commands as one page, reference.md, instead
    #[arg(long)]
    markdown: bool,
}

/// Prints or installs completions.
///
/// # Errors
/// Returns an error if the shell is unknown, or if the file or `out` cannot be written.
pub(crate) fn completions<C: CommandFactory>(
    args: &Completions,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    // The text is built in memory first, since `clap_complete` panics if a pipe closes.
    let mut text = Vec::new();
    let shell = args.shell()?;
    clap_complete::generate(shell, &mut C::command(), "rubric", &mut text);
    if !args.install {
        out.write_all(&text).map_err(Error::Output)?;
        return Ok(Status::Done);
    }
    let (file, more) = place(shell)?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
    }
    files::create(&file, |out| out.write_all(&text).map_err(Error::Output))?;
    writeln!(out, "written: {}; new shells use it", file.display()).map_err(Error::Output)?;
    more.map_or(Ok(()), |more| writeln!(out, "{more}")).map_err(Error::Output)?;
    Ok(Status::Done)
}

/// Writes manual pages.
///
/// # Errors
/// Returns an error if a page cannot be written.
pub(crate) fn man_pages<C: CommandFactory>(
    args: &ManPages,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    std::fs::create_dir_all(&args.folder).map_err(failed(&args.folder))?;
    let mut command = C::command().disable_help_subcommand(true);
    command.build();
    if args.markdown {
        let path = args.folder.join("reference.md");
        let mut page =
            String::from("# Commands\n\nThis page is what `rubric COMMAND --help` prints.\n");
        reference(&mut command, "rubric", &mut page);
        files::create(&path, |out| out.write_all(page.as_bytes()).map_err(Error::Output))?;
        writeln!(out, "written: {}", path.display()).map_err(Error::Output)?;
        return Ok(Status::Done);
    }
    let mut count = 0;
    pages(&command, "rubric", &args.folder, &mut count)?;
    writeln!(out, "written: {count} pages in {}", args.folder.display()).map_err(Error::Output)?;
    Ok(Status::Done)
}

/// Adds the help of a command and of its subcommands to a page.
fn reference(command: &mut clap::Command, name: &str, page: &mut String) {
    let help = command.render_long_help().to_string();
    *page += &format!("\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    let below: Vec<String> =
        command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for one in below {
        if let Some(command) = command.find_subcommand_mut(&one) {
            reference(command, &format!("{name} {one}"), page);
        }
    }
}

/// Writes the manual pages of a command and of its subcommands.
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
