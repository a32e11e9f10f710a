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

/// Sets teasers aside where the page has a text besides. True where it did.
pub(crate) fn set_aside(outline: &Outline, sums: &[Sum], is_article: bool, aside: &mut [bool]) -> bool {
    let is_linked = |block: &crate::outline::Block| {
        outline.nodes[block.node as usize].element.level().is_some()
            && !aside[block.node as usize]
            && block.link_bytes * 10 >= (block.end - block.start) * 7
    };
    let mut heads = Vec::new();
    for (at, block) in outline.blocks.iter().enumerate().filter(|(_, block)| is_linked(block)) {
        // What stands below it without a box around both: a chapter, maybe, about what the link leads to.
        let next = outline.blocks.get(at + 1);
        let heads_prose = next.is_some_and(|next| {
            next.end - next.start >= PROSE && next.link_bytes * 3 < next.end - next.start
        });
        heads.push((block.node as usize, heads_prose));
    }
    if heads.len() < FEW {
        return false;
    }
    let mut counts = vec![0_u16; outline.nodes.len()];
    heads.iter().for_each(|(head, _)| counts[*head] = counts[*head].saturating_add(1));
    for node in (1..counts.len()).rev() {
        let count = counts[node];
        let parent = &mut counts[outline.nodes[node].parent as usize];
        *parent = parent.saturating_add(count);
    }
    // The outermost element that holds one such heading and little else.
    let mut teasers = Vec::with_capacity(heads.len());
    for (head, heads_prose) in heads {
        let mut at = head;
        loop {
            let parent = outline.nodes[at].parent as usize;
            let holds = matches!(outline.nodes[parent].element, Element::Main | Element::Body);
            if parent == 0 || holds || counts[parent] > 1 || sums[parent].bytes > MAX_TEASER {
                break;
            }
            at = parent;
        }
        if at != head || !heads_prose {
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
