//! The mutants of protocols that make the violations of experiments.

use simulate::client::Client;

use crate::experiment::point::Fault;

const fn fault(protocol: &'static str, mutant: &'static str, client: Client) -> Fault {
    Fault { protocol, mutant, client }
}

const EARLY: Client = Client::early(8);

/// Mutants of MI that violate SC because statements are exchanged or left out, in the manner of CAV 2019, section 5.1.
pub(crate) const MI_FAULTS: [Fault; 5] = [
    fault(
        "MI_example",
        "MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done",
        Client::IN_ORDER,
    ),
    fault(
        "MI_example",
        "MI_example/L1Cache/IS.Data/swap-actions:fill_entry+read_miss_done",
        Client::IN_ORDER,
    ),
    fault("MI_example", "mi-dir-putx-not-written", Client::IN_ORDER),
    fault("MI_example", "MI_example/L1Cache/M.Fwd_GETX/no-notify:tell_core_of_loss", EARLY),
    fault("MI_example", "mi-l1-replace-no-notify", EARLY),
];

/// The mutants of MI that violate SC because two neighbouring statements are exchanged, as those of CAV 2019, section 5.1, were made. There are
/// no others: of the other exchanges 20 are in transitions that are never taken, 66 change nothing, and 8 make the protocol fail.
pub(crate) const REORDERED: [Fault; 2] = [MI_FAULTS[0], MI_FAULTS[1]];

/// Mutants of each built-in protocol that violate SC: some lose writes, some do not notify the cores that a line is lost.
pub(crate) const ALL_FAULTS: [Fault; 12] = [
    MI_FAULTS[0],
    fault("MESI_Two_Level", "mesi2-l1-is-inv-no-notify", EARLY),
    fault("MOESI_hammer", "hammer-l1-s-othergetx-no-notify", EARLY),
    fault("MOESI_AMD_Base", "amd-pair-store-no-notify", EARLY),
    MI_FAULTS[2],
    fault(
        "MESI_Two_Level",
        "MESI_Two_Level/L1Cache/IS.Data_all_Acks/drop-action:fill_entry",
        Client::IN_ORDER,
    ),
    fault(
        "MOESI_hammer",
        "MOESI_hammer/L1Cache/action:write_hit/dirty-flag:false@1",
        Client::IN_ORDER,
    ),
    fault("MOESI_AMD_Base", "amd-clean-victim-blank-data", Client::IN_ORDER),
    MI_FAULTS[3],
    fault("MESI_Two_Level", "mesi2-l1-s-inv-no-notify", EARLY),
    fault("MOESI_hammer", "hammer-l1-migratory-gets-no-notify", EARLY),
    fault(
        "MOESI_AMD_Base",
        "MOESI_AMD_Base/Directory/action:collect_answer/data-not-written:DataBlk@1",
        Client::IN_ORDER,
    ),
];
