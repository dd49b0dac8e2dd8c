//! The claims of several papers about violations, which campaigns of mutants test.

use super::{BOOSTING, GRADUAL, PublishedClaim, PublishedResult};
use crate::claims::campaign;

published! {
    CAMPAIGN_CAUSAL: "mutants-causal", GRADUAL, "Section 5.1", "mutants",
        "Violations by mutants that break CC or CCv", PublishedResult::percent(0.5),
        |claim, at| campaign::stated(&at.campaign.sc, *claim);
    CAMPAIGN_CCM: "mutants-ccm", GRADUAL, "Introduction", "mutants",
        "Violations of SC by mutants that break CCM", PublishedResult::Part("most", 0.5),
        |claim, at| campaign::caught(&at.campaign.sc, *claim, "ccm");
    CAMPAIGN_WCCM: "mutants-wccm", GRADUAL, "Introduction", "mutants",
        "Violations of TSO by mutants that break wCCM", PublishedResult::Part("most", 0.5),
        |claim, at| campaign::caught(&at.campaign.tso, *claim, "wccm");
    CAMPAIGN_WSC: "mutants-wsc", BOOSTING, "Section 7", "mutants",
        "Violations of SC by mutants that break wSC", PublishedResult::Part("almost all", 0.95),
        |claim, at| campaign::caught(&at.campaign.sc, *claim, "wsc");
    CAMPAIGN_ESCAPING: "mutants-escaping", BOOSTING, "Section 6", "mutants",
        "Violations by mutants that escape CCM and are caught by wSC", PublishedResult::percent(0.0125),
        |claim, at| campaign::stated(&at.campaign.sc, *claim);
}
