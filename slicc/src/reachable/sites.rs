//! Where constants and functions stand in the code, and under which conditions.

use super::model::MachineModel;
use crate::ast::{Binary, Block, Expression, ExpressionKind, Statement, StatementKind};
use crate::visit::{self, Node};

/// What a piece of code belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner<'a> {
    Action(&'a str),
    Function(&'a str),
    Port,
}

/// A place in the code.
#[derive(Clone, Debug)]
pub(super) struct Site<'a> {
    pub owner: Owner<'a>,
    /// The body that the place is in.
    pub body: &'a Block,
    /// The `if` statements around it, the outermost first, each with whether the place is in its first branch.
    pub around: Vec<(&'a Statement, bool)>,
}

/// The places of a machine at which an expression stands that is `wanted`, but not as an operand of `==` and `!=`.
pub(super) fn find<'a>(
    machine: &MachineModel<'a>,
    wanted: &dyn Fn(&'a Expression) -> bool,
) -> Vec<Site<'a>> {
    let actions = machine.actions.iter().map(|(name, action)| (Owner::Action(name), &action.body));
    let functions = machine.functions.iter().flat_map(|(name, all)| {
        all.iter().filter_map(|one| Some((Owner::Function(name), one.body.as_ref()?)))
    });
    let ports = machine.in_ports.values().map(|port| (Owner::Port, &port.body));
    let mut all: Vec<(Owner<'a>, &'a Block)> = actions.chain(functions).chain(ports).collect();
    all.sort_by_key(|(_, body)| body.span.start);
    let mut found = Vec::new();
    for (owner, body) in all {
        let mut search = Search { owner, body, wanted, around: Vec::new(), found: &mut found };
        search.block(body);
    }
    found
}

struct Search<'a, 's> {
    owner: Owner<'a>,
    body: &'a Block,
    wanted: &'s dyn Fn(&'a Expression) -> bool,
    around: Vec<(&'a Statement, bool)>,
    found: &'s mut Vec<Site<'a>>,
}

impl<'a> Search<'a, '_> {
    fn block(&mut self, block: &'a Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.around.push((statement, true));
                self.block(then);
                self.around.pop();
                self.around.push((statement, false));
                otherwise.iter().for_each(|block| self.block(block));
                self.around.pop();
            }
            StatementKind::Enqueue { body, .. }
            | StatementKind::Defer { body, .. }
            | StatementKind::Peek { body, .. } => self.block(body),
            StatementKind::Expression(inner) | StatementKind::Return(inner) => {
                self.expression(inner)
            }
            StatementKind::Assign { target, value } => {
                self.expression(target);
                self.expression(value);
            }
            _ => {}
        }
    }

    fn expression(&mut self, whole: &'a Expression) {
        let mut compared: Vec<*const Expression> = Vec::new();
        let mut found = 0;
        visit::expression(whole, &mut |node| {
            let Node::Expression(one) = node else { return };
            if let ExpressionKind::Binary {
                operator: Binary::Equal | Binary::NotEqual,
                left,
                right,
            } = &one.kind
            {
                compared.extend([&raw const **left, &raw const **right]);
            }
            let is_compared = compared.contains(&std::ptr::from_ref(one));
            found += usize::from(!is_compared && (self.wanted)(one));
        });
        if found > 0 {
            self.found.push(Site {
                owner: self.owner,
                body: self.body,
                around: self.around.clone(),
            });
        }
    }
}
