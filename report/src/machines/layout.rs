//! Places the parts of a graph in layers from top to bottom, by the method of Sugiyama, Tagawa and Toda. Each edge has a label,
//! which takes part in the layout as a node does, so that no parts overlap.

use std::collections::VecDeque;

/// Space between the layers.
const LAYER_GAP: f64 = 26.0;
/// Space between neighbours in a layer.
const GAP: f64 = 16.0;

/// Width of the channel of an edge that passes a layer.
const CHANNEL: f64 = 4.0;

/// Number of passes that sort the layers, and of those that place their items.
const SWEEPS: usize = 24;

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub width: f64,
    pub height: f64,
}

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// An edge between two nodes, with the size of its label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub from: usize,
    pub to: usize,
    pub label: Size,
}

/// The positions of all parts of a graph.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Size of the whole drawing.
    pub size: Size,
    /// The centre of each node.
    pub nodes: Vec<Point>,
    /// For each edge the points from its beginning to its end, which its curve passes vertically.
    pub edges: Vec<Vec<Point>>,
    /// The centre of each label.
    pub labels: Vec<Point>,
}

/// The cost of a layout: the number of layers that all edges span together.
pub(super) fn cost(nodes: usize, links: &[Link]) -> usize {
    let order = order(nodes, links);
    let layers = layers(&order, links);
    let spans = links.iter().map(|link| layers[link.from].abs_diff(layers[link.to]));
    spans.sum()
}

/// Lays out a graph, which must not have an edge from a node to itself. The first node comes first.
pub(super) fn layout(nodes: &[Size], links: &[Link]) -> Layout {
    let order = order(nodes.len(), links);
    let mut sheet = Sheet::new(nodes, links, &layers(&order, links), &order);
    sheet.sort();
    sheet.place();
    sheet.layout(nodes.len())
}

/// The position of each node in a breadth-first search from the first node.
fn order(nodes: usize, links: &[Link]) -> Vec<usize> {
    let mut neighbours = vec![Vec::new(); nodes];
    for link in links {
        neighbours[link.from].push(link.to);
    }
    let mut order = vec![usize::MAX; nodes];
    let mut next = 0;
    let mut open = VecDeque::new();
    for start in 0..nodes {
        open.push_back(start);
        while let Some(node) = open.pop_front() {
            if order[node] == usize::MAX {
                order[node] = next;
                next += 1;
                open.extend(&neighbours[node]);
            }
        }
    }
    order
}

/// The layer of each node. Edges lead down in the given order, and leave at least one layer between their nodes for the label.
fn layers(order: &[usize], links: &[Link]) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for link in links {
        let (upper, lower) = upper_and_lower(order, link);
        below[upper].push(lower);
    }
    let mut by_order: Vec<usize> = (0..order.len()).collect();
    by_order.sort_by_key(|&node| order[node]);
    let mut layers = vec![0; order.len()];
    for node in by_order {
        for &lower in &below[node] {
            layers[lower] = layers[lower].max(layers[node] + 2);
        }
    }
    layers
}

fn upper_and_lower(order: &[usize], link: &Link) -> (usize, usize) {
    if order[link.from] < order[link.to] { (link.from, link.to) } else { (link.to, link.from) }
}

/// A node, a label, or the place where an edge passes a layer.
struct Item {
    size: Size,
    x: f64,
    /// The neighbouring items in the layers above and below.
    above: Vec<usize>,
    below: Vec<usize>,
}

/// A layout in progress. The items of nodes have the nodes' indices.
struct Sheet {
    items: Vec<Item>,
    /// The items of each layer, from left to right.
    layers: Vec<Vec<usize>>,
    /// For each edge its items from its beginning to its end, and the item that is its label.
    chains: Vec<(Vec<usize>, usize)>,
    /// For each edge, whether it leads down.
    down: Vec<bool>,
}

impl Sheet {
    fn new(nodes: &[Size], links: &[Link], of_nodes: &[usize], order: &[usize]) -> Sheet {
        let mut by_order: Vec<usize> = (0..nodes.len()).collect();
        by_order.sort_by_key(|&node| order[node]);
        let mut layers = vec![Vec::new(); of_nodes.iter().max().map_or(0, |last| last + 1)];
        for node in by_order {
            layers[of_nodes[node]].push(node);
        }
        let items = nodes.iter().map(|&size| Item::new(size)).collect();
        let mut sheet = Sheet { items, layers, chains: Vec::new(), down: Vec::new() };
        for link in links {
            sheet.add(link, of_nodes, order);
        }
        sheet
    }

    fn add(&mut self, link: &Link, of_nodes: &[usize], order: &[usize]) {
        let (upper, lower) = upper_and_lower(order, link);
        let (first, last) = (of_nodes[upper], of_nodes[lower]);
        // A long edge has its label near its beginning, where the reader looks for it.
        let down = upper == link.from;
        let label = if down { first + 1 } else { last - 1 };
        let mut chain = vec![upper];
        for layer in first + 1..last {
            let size =
                if layer == label { link.label } else { Size { width: CHANNEL, height: 0.0 } };
            chain.push(self.items.len());
            self.layers[layer].push(self.items.len());
            self.items.push(Item::new(size));
        }
        chain.push(lower);
        for pair in chain.windows(2) {
            self.items[pair[0]].below.push(pair[1]);
            self.items[pair[1]].above.push(pair[0]);
        }
        let label = chain[label - first];
        if !down {
            chain.reverse();
        }
        self.chains.push((chain, label));
        self.down.push(down);
    }

    /// Sorts the items of each layer by the mean position of their neighbours, in alternating passes down and up.
    fn sort(&mut self) {
        let mut positions = vec![0.0; self.items.len()];
        let number = |layer: &[usize], positions: &mut [f64]| {
            for (at, &item) in layer.iter().enumerate() {
                positions[item] = (at as f64 + 0.5) / layer.len() as f64;
            }
        };
        for layer in &self.layers {
            number(layer, &mut positions);
        }
        for sweep in 0..SWEEPS {
            let downwards = sweep % 2 == 0;
            for step in 0..self.layers.len() {
                let index = if downwards { step } else { self.layers.len() - 1 - step };
                let mut layer = std::mem::take(&mut self.layers[index]);
                let wanted = |&item: &usize| {
                    let item = &self.items[item];
                    let near = if downwards { &item.above } else { &item.below };
                    mean(near.iter().map(|&other| positions[other]))
                };
                let mut keyed: Vec<(f64, usize)> = layer
                    .iter()
                    .map(|item| (wanted(item).unwrap_or(positions[*item]), *item))
                    .collect();
                keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
                layer.clear();
                layer.extend(keyed.into_iter().map(|(_, item)| item));
                number(&layer, &mut positions);
                self.layers[index] = layer;
            }
        }
    }

    /// Places each item between its neighbours above and below, and keeps the order of its layer.
    fn place(&mut self) {
        for sweep in 0..SWEEPS {
            for step in 0..self.layers.len() {
                let index = if sweep % 2 == 0 { step } else { self.layers.len() - 1 - step };
                let layer = std::mem::take(&mut self.layers[index]);
                let wanted: Vec<f64> = layer.iter().map(|&item| self.wanted(item)).collect();
                self.spread(&layer, &wanted);
                self.layers[index] = layer;
            }
        }
    }

    fn wanted(&self, index: usize) -> f64 {
        let item = &self.items[index];
        let near = item.above.iter().chain(&item.below);
        mean(near.map(|&other| self.items[other].x)).unwrap_or(item.x)
    }

    /// Places the items of a layer as close to their wanted positions as their sizes allow: minimises the sum of squared
    /// distances, by pooling items that would overlap.
    fn spread(&mut self, layer: &[usize], wanted: &[f64]) {
        let mut offset = 0.0;
        let mut offsets = Vec::with_capacity(layer.len());
        for (at, &item) in layer.iter().enumerate() {
            if at > 0 {
                let before = self.items[layer[at - 1]].size.width;
                offset += (before + self.items[item].size.width) / 2.0 + GAP;
            }
            offsets.push(offset);
        }
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for (wanted, offset) in wanted.iter().zip(&offsets) {
            let mut pool = (wanted - offset, 1);
            while let Some(&(sum, count)) = pools.last()
                && sum / count as f64 > pool.0 / pool.1 as f64
            {
                pools.pop();
                pool = (sum + pool.0, count + pool.1);
            }
            pools.push(pool);
        }
        let places =
            pools.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum / count as f64, count));
        for ((&item, place), offset) in layer.iter().zip(places).zip(&offsets) {
            self.items[item].x = place + offset;
        }
    }

    /// The finished layout, with its upper left corner at 0.
    fn layout(mut self, nodes: usize) -> Layout {
        let left = |item: &Item| item.x - item.size.width / 2.0;
        let right = |item: &Item| item.x + item.size.width / 2.0;
        let least = self.items.iter().map(left).fold(f64::INFINITY, f64::min);
        let shift = if least.is_finite() { least } else { 0.0 };
        self.items.iter_mut().for_each(|item| item.x -= shift);
        let mut y = vec![0.0; self.items.len()];
        let mut heights = vec![0.0; self.items.len()];
        let mut top = 0.0;
        for layer in &self.layers {
            let tall = layer.iter().map(|&item| self.items[item].size.height);
            let height = tall.fold(0.0, f64::max);
            for &item in layer {
                y[item] = top + height / 2.0;
                heights[item] = height;
            }
            top += height + LAYER_GAP;
        }
        let point = |item: usize| Point { x: self.items[item].x, y: y[item] };
        let ports = self.ports();
        let edge = |index: usize| self.edge(index, &ports, &y, &heights);
        Layout {
            size: Size {
                width: self.items.iter().map(right).fold(0.0, f64::max),
                height: (top - LAYER_GAP).max(0.0),
            },
            nodes: (0..nodes).map(point).collect(),
            edges: (0..self.chains.len()).map(edge).collect(),
            labels: self.chains.iter().map(|&(_, label)| point(label)).collect(),
        }
    }

    /// The horizontal positions at which each edge meets its two nodes. Edges meet a node side by side, ordered by their
    /// neighbouring items.
    fn ports(&self) -> Vec<[f64; 2]> {
        let mut ports = vec![[0.0; 2]; self.chains.len()];
        let mut ends: Vec<(usize, bool, f64, usize, usize)> = Vec::new();
        for (index, (chain, _)) in self.chains.iter().enumerate() {
            let last = chain.len() - 1;
            let down = self.down[index];
            ends.push((chain[0], down, self.items[chain[1]].x, index, 0));
            ends.push((chain[last], !down, self.items[chain[last - 1]].x, index, 1));
        }
        ends.sort_by(|one, other| {
            (one.0, one.1).cmp(&(other.0, other.1)).then(one.2.total_cmp(&other.2))
        });
        for side in ends.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let node = &self.items[side[0].0];
            let step = node.size.width / (side.len() + 1) as f64;
            for (at, &(_, _, _, edge, end)) in side.iter().enumerate() {
                ports[edge][end] = node.x - node.size.width / 2.0 + step * (at + 1) as f64;
            }
        }
        ports
    }

    fn edge(&self, index: usize, ports: &[[f64; 2]], y: &[f64], heights: &[f64]) -> Vec<Point> {
        let (chain, label) = &self.chains[index];
        let direction = if self.down[index] { 1.0 } else { -1.0 };
        let mut points = Vec::new();
        for (at, &item) in chain.iter().enumerate() {
            let size = self.items[item].size;
            let is_node = at == 0 || at + 1 == chain.len();
            let x = match at {
                0 => ports[index][0],
                _ if at + 1 == chain.len() => ports[index][1],
                _ => self.items[item].x,
            };
            // A channel is as high as its layer; a node or a label has its own height.
            let height = if is_node || item == *label { size.height } else { heights[item] };
            let enters = Point { x, y: y[item] - direction * height / 2.0 };
            let leaves = Point { x, y: y[item] + direction * height / 2.0 };
            match at {
                0 => points.push(leaves),
                _ if is_node => points.push(enters),
                _ => points.extend([enters, leaves]),
            }
        }
        points
    }
}

impl Item {
    fn new(size: Size) -> Item {
        Item { size, x: 0.0, above: Vec::new(), below: Vec::new() }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Size = Size { width: 60.0, height: 30.0 };

    /// Test graphs: the number of nodes, and edges as pairs of nodes.
    fn graphs() -> Vec<(usize, Vec<(usize, usize)>)> {
        let complete = (0..7).flat_map(|from| (0..7).map(move |to| (from, to)));
        vec![
            (0, vec![]),
            (3, vec![]),
            (2, vec![(0, 1), (1, 0)]),
            (4, vec![(0, 1), (1, 2), (2, 3), (3, 0), (0, 3), (3, 1)]),
            (7, complete.filter(|(from, to)| from != to).collect()),
        ]
    }

    #[test]
    fn nothing_lies_on_anything_else() {
        for (nodes, links) in graphs() {
            let sizes = vec![BOX; nodes];
            let links: Vec<Link> =
                links.into_iter().map(|(from, to)| Link { from, to, label: BOX }).collect();
            let layout = layout(&sizes, &links);
            let all: Vec<Point> = layout.nodes.iter().chain(&layout.labels).copied().collect();
            assert_eq!(all.len(), nodes + links.len());
            for (at, one) in all.iter().enumerate() {
                assert!(one.x >= 29.9 && one.x <= layout.size.width - 29.9);
                assert!(one.y >= 14.9 && one.y <= layout.size.height - 14.9);
                for other in &all[at + 1..] {
                    let apart = (one.x - other.x).abs() > 59.9 || (one.y - other.y).abs() > 29.9;
                    assert!(apart, "{one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn edges_go_from_node_to_node() {
        for (nodes, pairs) in graphs() {
            let link = |&(from, to): &(usize, usize)| Link { from, to, label: BOX };
            let links: Vec<Link> = pairs.iter().map(link).collect();
            let layout = layout(&vec![BOX; nodes], &links);
            for (edge, (from, to)) in layout.edges.iter().zip(pairs) {
                for (end, node) in [(edge[0], from), (edge[edge.len() - 1], to)] {
                    let node = layout.nodes[node];
                    assert!((end.x - node.x).abs() < 30.0);
                    assert!(((end.y - node.y).abs() - 15.0).abs() < 0.1);
                }
            }
        }
    }
}
