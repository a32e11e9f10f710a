//! Teasers of other pages beside or below a text: small boxes, each with one heading that is a link.
//!
//! A page that has little else is a list of them; there they are what it is there for.

use crate::element::Element;
use crate::main_text::{PROSE, Sum};
use crate::outline::Outline;

/// Bytes of a teaser, and teasers from which on they are more than a link that the text gives.
const MAX_TEASER: u32 = 900;
const FEW: usize = 3;

/// Prose beside teasers that is a text: of a page that says it is an article, and of one that says nothing.
const ARTICLE: u32 = 200;
const TEXT: u32 = 600;

/// A heading that is a link.
struct Head {
    node: usize,
    /// Prose follows at once.
    heads_prose: bool,
    /// Bytes of prose up to the next one.
    prose: u32,
}

/// Sets teasers aside where the page has a text besides. True where it did.
pub(crate) fn set_aside(outline: &Outline, sums: &[Sum], is_article: bool, aside: &mut [bool]) -> bool {
    let is_linked = |block: &crate::outline::Block| {
        outline.nodes[block.node as usize].element.level().is_some()
            && !aside[block.node as usize]
            && block.link_bytes * 10 >= (block.end - block.start) * 7
    };
    let is_prose = |block: &crate::outline::Block| {
        let bytes = block.end - block.start;
        bytes >= PROSE && block.link_bytes * 3 < bytes && !aside[block.node as usize]
    };
    let mut heads: Vec<Head> = Vec::new();
    for (at, block) in outline.blocks.iter().enumerate() {
        if is_linked(block) {
            // What stands below it without a box around both: a chapter, maybe, about what the link leads to.
            let heads_prose = outline.blocks.get(at + 1).is_some_and(is_prose);
            heads.push(Head { node: block.node as usize, heads_prose, prose: 0 });
        } else if let Some(head) = heads.last_mut()
            && is_prose(block)
        {
            head.prose += block.end - block.start;
        }
    }
    if heads.len() < FEW {
        return false;
    }
    let mut counts = vec![0_u16; outline.nodes.len()];
    heads.iter().for_each(|head| counts[head.node] = counts[head.node].saturating_add(1));
    for node in (1..counts.len()).rev() {
        let count = counts[node];
        let parent = &mut counts[outline.nodes[node].parent as usize];
        *parent = parent.saturating_add(count);
    }
    // The outermost element that holds one such heading and little else.
    let mut teasers = Vec::with_capacity(heads.len());
    // A headline may lead to its own page.
    let is_headline = |head: &Head| head.prose * 5 >= sums[0].prose * 2;
    for Head { node, heads_prose, .. } in heads.into_iter().filter(|head| !is_headline(head)) {
        let mut at = node;
        loop {
            let parent = outline.nodes[at].parent as usize;
            let holds = matches!(outline.nodes[parent].element, Element::Main | Element::Body);
            if parent == 0 || holds || counts[parent] > 1 || sums[parent].bytes > MAX_TEASER {
                break;
            }
            at = parent;
        }
        if at != node || !heads_prose {
            teasers.push(at);
        }
    }
    teasers.dedup();
    let within: u32 = teasers.iter().map(|at| sums[*at].prose).sum();
    let own = sums[0].prose.saturating_sub(within);
    let is_text = if is_article { own >= ARTICLE && own * 3 >= within } else { own >= TEXT && own >= within };
    if teasers.len() < FEW || !is_text {
        return false;
    }
    for at in teasers {
        aside[at] = true;
    }
    for at in 1..aside.len() {
        aside[at] |= aside[outline.nodes[at].parent as usize];
    }
    true
}
