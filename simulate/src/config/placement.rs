//! Which controller is attached to which router of a mesh.

use super::Options;
use super::chi::Member;
use super::plan::MachinePlan;
use crate::ruby::mesh::Mesh;

/// Attaches all controllers to routers.
pub(super) fn place(mesh: Mesh, machines: &mut [MachinePlan], options: &Options) {
    let is_chi = machines.iter().any(|machine| Member::of(&machine.name, 0, options).is_some());
    if is_chi {
        place_nodes(mesh, machines, options);
    } else {
        deal(mesh, machines);
    }
}

/// Attaches the nodes of CHI: each kind is dealt to the routers in turn, all controllers of a
/// cluster to the same one. In gem5 a user's file for `--chi-config` places them.
fn place_nodes(mesh: Mesh, machines: &mut [MachinePlan], options: &Options) {
    for machine in machines {
        for (number, instance) in (0..).zip(&mut machine.instances) {
            let member = Member::of(&machine.name, number, options);
            let node = member.map_or(number, |member| member.node);
            instance.router = node % mesh.routers();
        }
    }
}

/// Deals controllers to the routers in turn; those that are left over when all routers have the
/// same number go to the first router, as in `Mesh_XY`.
fn deal(mesh: Mesh, machines: &mut [MachinePlan]) {
    let total: usize = machines.iter().map(|machine| machine.instances.len()).sum();
    let total = u32::try_from(total).unwrap_or(u32::MAX);
    let dealt = if total < mesh.routers() { total } else { total - total % mesh.routers() };
    let instances = machines.iter_mut().flat_map(|machine| &mut machine.instances);
    for (at, instance) in (0..).zip(instances) {
        instance.router = if at < dealt { at % mesh.routers() } else { 0 };
    }
}
