//! Which blocks of a page are what it is there for.
//!
//! Three steps over the outline, each a pass over small numbers. Elements that say they are beside the text (menus,
//! notices, teasers) are set aside, unless so much of the page stands in them that the word must mean something else.
//! Then the element is sought that holds nearly all of what is left: a `<main>`, an `<article>`, or the innermost one
//! that still has it all. In it, what consists of links goes, headings follow what they head; a page that has little
//! but links is a list and keeps its rows.

use std::ops::Range;

use crate::element::Element;
use crate::hints::Part;
use crate::notices;
use crate::outline::{Extents, Outline};
use crate::sections;
use crate::teasers;

/// What was chosen.
pub(crate) struct Main {
    /// For each block, whether it belongs to the main text.
    pub(crate) kept: Vec<bool>,
    /// For each element, whether it was set aside as something that is beside the text.
    pub(crate) aside: Vec<bool>,
    /// Whether the page is a list of links to others.
    pub(crate) is_list: bool,
}

impl Main {
    /// Lines that only say who and when are not what the page is there for, unless it has little else.
    pub(crate) fn drop_bylines(&mut self, outline: &Outline, bylines: &[usize]) {
        let bytes = |at: usize| outline.blocks[at].end - outline.blocks[at].start;
        let total: u32 = (0..self.kept.len()).filter(|at| self.kept[*at]).map(bytes).sum();
        for at in bylines
            .iter()
            .copied()
            .filter(|at| outline.nodes[outline.blocks[*at].node as usize].element.level().is_none())
        {
            if total >= 300 {
                self.kept[at] = false;
            }
        }
    }

    /// A line before the text with little in it but the author's name says who wrote it.
    pub(crate) fn drop_names(&mut self, outline: &Outline, text: &str, author: &str) {
        let Some(first) = self.kept.iter().position(|kept| *kept) else { return };
        for (at, block) in outline.blocks.iter().enumerate().skip(first).take(8) {
            let words = text.get(block.start as usize..block.end as usize).unwrap_or_default();
            let is_line = outline.nodes[block.node as usize].element.level().is_none()
                && words.len() <= author.len() + 40
                && !words.trim_end().ends_with(['.', '!', '?', '。']);
            if is_line && words.contains(author) {
                self.kept[at] = false;
            }
        }
    }
}

/// Whether a URL's path says that the page is a thread, as many makes of forums have it.
pub(crate) fn is_thread(path: &str) -> bool {
    const NAMES: &[&str] = &[
        "thread",
        "threads",
        "topic",
        "showthread",
        "showthread.php",
        "viewtopic",
        "viewtopic.php",
        "viewthread",
        "viewthread.php",
        "comments",
        "discussion",
        "discussions",
        "questions",
        "forum",
        "forums",
        "board",
    ];
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(|part| NAMES.iter().any(|name| part.eq_ignore_ascii_case(name)))
}

/// Bytes of prose that make a text.
const TEXT: u32 = 600;

/// Bytes of a box about the author at most.
const MAX_AUTHOR: u32 = 1_500;

/// Bytes of a box that is a link as a whole.
const MAX_CARD: u32 = 600;

/// A block with so many bytes, few of them links, is prose.
pub(crate) const PROSE: u32 = 60;

/// Sums over an element and all that it holds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) bytes: u32,
    link: u32,
    pub(crate) prose: u32,
    anchors: u32,
    pub(crate) h1: bool,
    /// The ranks of its headings, a bit each.
    ranks: u8,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.bytes += other.bytes;
        self.link += other.link;
        self.prose += other.prose;
        self.anchors += other.anchors;
        self.h1 |= other.h1;
        self.ranks |= other.ranks;
    }

    /// Share of links among the text, in percent.
    fn link_share(&self) -> u32 {
        if self.bytes == 0 {
            0
        } else {
            (u64::from(self.link.min(self.bytes)) * 100 / u64::from(self.bytes)) as u32
        }
    }

    /// How much of what matters: prose on pages that have it, else whatever is no link.
    fn weight(&self, by_prose: bool) -> u32 {
        if by_prose { self.prose } else { self.bytes - self.link.min(self.bytes) / 2 }
    }
}

/// Chooses the main blocks of a page.
pub(crate) fn choose(outline: &Outline, text: &str, is_thread: bool, is_article: bool) -> Main {
    let blocks: Vec<Sum> = (0..outline.blocks.len()).map(|at| block_sum(outline, at)).collect();
    if outline.overflow {
        let kept = vec![true; blocks.len()];
        return Main { kept, aside: vec![false; outline.nodes.len()], is_list: false };
    }
    let extents = outline.extents();
    let all = sums(outline, &blocks, |_| true);
    let mut aside = set_aside(outline, &extents, &all);
    let sizes: Vec<notices::Size> = all
        .iter()
        .map(|sum| notices::Size { bytes: sum.bytes, prose: sum.prose, anchors: sum.anchors, h1: sum.h1 })
        .collect();
    let has_cards = notices::set_aside(outline, text, &sizes, &mut aside);
    if !is_thread {
        drop_comments(outline, &blocks, &mut aside);
    }
    let mut rest = sums(outline, &blocks, |node| !aside[node]);
    if !is_thread && teasers::set_aside(outline, &rest, is_article, &mut aside) {
        rest = sums(outline, &blocks, |node| !aside[node]);
    }
    let by_prose = rest[0].prose >= 200 && (rest[0].prose * 4 >= rest[0].bytes || holds_text(&rest, &aside));
    let root = root(outline, &extents, &rest, &aside, by_prose);
    let within = extents.all_of(root);
    let is_list = rest[root].prose * 5 < rest[root].bytes * 2 && rest[root].link_share() >= 25
        // A few sentences before a list do not make it a text.
        || rest[root].prose * 10 < rest[root].bytes * 6 && linked_headings(outline, &aside, &within) >= 3;
    let links = link_heavy(outline, &rest, root, is_list);
    let mut kept: Vec<bool> = outline
        .blocks
        .iter()
        .map(|block| {
            let node = block.node as usize;
            within.contains(&node) && !aside[node] && !links[node]
        })
        .collect();
    keep_title(outline, &aside, root, &mut kept);
    keep_lead(outline, text, &aside, &links, &mut kept);
    sections::drop_closing(outline, text, is_thread, &mut kept);
    notices::drop_labels(outline, text, &mut kept);
    if !is_list && (is_thread || has_cards) {
        notices::drop_stamps(outline, text, &mut kept);
    }
    notices::drop_colophon(outline, text, &mut kept);
    sections::drop_empty_headings(outline, text, &mut kept, is_list);
    let kept_bytes: u32 = kept.iter().zip(&blocks).filter(|(kept, _)| **kept).map(|(_, sum)| sum.bytes).sum();
    // Nothing stands out: what is surely beside the text goes, and if nothing is left then, all stays.
    if kept_bytes * 5 < rest[0].bytes && kept_bytes < 400 {
        kept = outline.blocks.iter().map(|block| !aside[block.node as usize]).collect();
    }
    if !kept.contains(&true) {
        kept.fill(true);
    }
    Main { kept, aside, is_list }
}

/// The text of the blocks that are kept, each apart from what was left out before it.
pub(crate) fn text_of(outline: &Outline, kept: &[bool], text: &str) -> String {
    if kept.iter().all(|kept| *kept) {
        return text.to_owned();
    }
    let lengths = outline
        .blocks
        .iter()
        .zip(kept)
        .filter(|(_, kept)| **kept)
        .map(|(block, _)| block.end - block.start + 1);
    let mut out = String::with_capacity(lengths.sum::<u32>() as usize);
    let mut follows = false;
    for (block, kept) in outline.blocks.iter().zip(kept) {
        let slice = text.get(block.start as usize..block.end as usize).unwrap_or_default();
        if *kept {
            if follows {
                out.push_str(slice);
            } else {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(slice.trim_start());
            }
        }
        follows = *kept;
    }
    out
}

fn block_sum(outline: &Outline, at: usize) -> Sum {
    let block = outline.blocks[at];
    let node = outline.nodes[block.node as usize];
    // The text before a block begins with the gap between them.
    let bytes = block.end - block.start;
    let link = block.link_bytes.min(bytes);
    let is_prose = bytes >= PROSE && link * 3 < bytes || node.element == Element::Pre;
    Sum {
        bytes,
        link,
        prose: if is_prose && node.element.level().is_none() { bytes } else { 0 },
        anchors: u32::from(block.anchors),
        h1: node.element == Element::H1,
        ranks: node.element.level().map_or(0, |level| 1 << level),
    }
}

/// The sums of every element, counting the blocks in elements that `counts`.
fn sums(outline: &Outline, blocks: &[Sum], counts: impl Fn(usize) -> bool) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); outline.nodes.len()];
    for (block, sum) in outline.blocks.iter().zip(blocks) {
        if counts(block.node as usize) {
            sums[block.node as usize].add(*sum);
        }
    }
    for node in (1..sums.len()).rev() {
        let sum = sums[node];
        sums[outline.nodes[node].parent as usize].add(sum);
    }
    sums
}

/// Elements that are beside the text, with all they hold.
fn set_aside(outline: &Outline, extents: &Extents, sums: &[Sum]) -> Vec<bool> {
    let total = sums[0].prose.max(1);
    let has_one_title = titles(outline).count() == 1;
    let share = |sum: &Sum, percent: u32| u64::from(sum.prose) * 100 >= u64::from(total) * u64::from(percent);
    let mut aside = vec![false; outline.nodes.len()];
    // What all of an element's children hold together that say they are beside the text, and are prose.
    let mut chapters = vec![0; outline.nodes.len()];
    for (node, sum) in outline.nodes.iter().zip(sums) {
        if node.hint.part == Part::Strong && sum.prose >= 200 && sum.link_share() < 25 {
            chapters[node.parent as usize] += sum.prose;
        }
    }
    // Whether an element that holds the text is open around it.
    let mut in_text = vec![false; outline.nodes.len()];
    for at in 1..outline.nodes.len() {
        let node = &outline.nodes[at];
        let parent = node.parent as usize;
        let sum = &sums[at];
        let holds = matches!(node.element, Element::Article | Element::Main) || node.hint.main;
        in_text[at] = in_text[parent] || holds;
        let by_element = match node.element {
            Element::Nav | Element::Dialog | Element::Search => !share(sum, 60),
            Element::Footer => outline.nodes[parent].element != Element::Blockquote && !share(sum, 50),
            Element::Aside => !(node.hint.note || share(sum, 50) || sum.h1 && has_one_title),
            Element::Header => !(in_text[at] || share(sum, 30) || sum.h1 && sum.anchors <= 2),
            Element::Form => !share(sum, 30) && sum.prose < 400,
            Element::Button => outline.nodes[parent].element.level().is_none(),
            _ => false,
        };
        let is_prose = sum.prose >= 200 && sum.link_share() < 25;
        let by_hint = match node.hint.part {
            Part::Unknown | Part::Comments => false,
            Part::Byline => {
                let is_line = node.element.level().is_none() && node.element != Element::Table;
                sum.bytes <= 160 && !sum.h1 && is_line
            }
            Part::Weak => {
                // One paragraph among others says "promo" where it is part of the text: what only subscribers see.
                let is_paragraph = node.element == Element::P && sum.prose >= 100 && sum.anchors == 0;
                !(is_paragraph
                    || node.hint.note
                    || is_prose
                    || share(sum, 25)
                    || sum.h1 && sum.bytes > 0 && sum.anchors < 3)
            }
            Part::Strong => {
                let is_chapter = is_prose && u64::from(chapters[parent]) * 2 >= u64::from(total);
                !(is_chapter || share(sum, 50) || sum.h1 && share(sum, 25))
            }
            // Scripts show the text of some pages only when they have asked who reads it.
            Part::Hidden => {
                let is_text = share(sum, 80)
                    || sum.link_share() < 10 && share(sum, if node.hint.main { 30 } else { 50 });
                !(outline.nodes[parent].hint.folded || is_text && is_written(outline, extents.all_of(at)))
            }
        };
        // Kept from those who listen: icons, doubles, and texts that are folded away.
        let is_silent = node.hint.silent && !node.hint.folded && !(sum.prose > 0 && sum.link_share() < 25);
        let of_author = node.hint.of_author && sum.bytes <= MAX_AUTHOR && !sum.h1 && !share(sum, 30);
        aside[at] = aside[parent] || by_element || by_hint || is_silent || of_author;
    }
    aside
}

/// Whether what an element holds is cut into lines, as a text is and words for search engines are not.
fn is_written(outline: &Outline, nodes: Range<usize>) -> bool {
    outline.blocks.iter().filter(|block| nodes.contains(&(block.node as usize))).nth(1).is_some()
}

/// Whether one element holds nearly all prose of a page, and little else: a text among many links.
fn holds_text(sums: &[Sum], aside: &[bool]) -> bool {
    let all = sums[0].prose;
    let holds =
        |sum: &Sum| sum.prose * 10 >= all * 8 && sum.prose * 10 >= sum.bytes * 6 && sum.link_share() < 15;
    all >= TEXT && sums[0].h1 && sums.iter().zip(aside).skip(1).any(|(sum, aside)| !aside && holds(sum))
}

/// The elements that are headlines of the page.
fn titles(outline: &Outline) -> impl Iterator<Item = usize> {
    let nodes = outline.blocks.iter().map(|block| block.node as usize);
    nodes.filter(|node| outline.nodes[*node].element == Element::H1)
}

/// What visitors wrote below a text goes; where there is no text, as in a forum, it is what the page is there for.
fn drop_comments(outline: &Outline, blocks: &[Sum], aside: &mut [bool]) {
    let mut comments = vec![false; outline.nodes.len()];
    for at in 1..outline.nodes.len() {
        let node = &outline.nodes[at];
        comments[at] = comments[node.parent as usize] || node.hint.part == Part::Comments;
    }
    // Where the headline stands in one, the word is for an opinion that the page gives.
    if !comments.contains(&true) || titles(outline).any(|node| comments[node]) {
        return;
    }
    let mut own = 0;
    let mut visitors = 0;
    for (block, sum) in outline.blocks.iter().zip(blocks) {
        let node = block.node as usize;
        if !aside[node] {
            *(if comments[node] { &mut visitors } else { &mut own }) += sum.prose;
        }
    }
    if own >= 250 || own * 2 >= visitors {
        aside.iter_mut().zip(comments).for_each(|(aside, comment)| *aside |= comment);
    }
}

/// The innermost element that holds nearly all of what the page is there for.
fn root(outline: &Outline, extents: &Extents, sums: &[Sum], aside: &[bool], by_prose: bool) -> usize {
    let weight = |node: usize| u64::from(sums[node].weight(by_prose));
    let is_free = |node: &usize| !aside[*node];
    let is_main = |node: &usize| {
        let node = &outline.nodes[*node];
        node.element == Element::Main || node.hint.main
    };
    let mut root = 0;
    let mains = (1..outline.nodes.len()).filter(is_free).filter(is_main);
    // Of equal ones the outermost: a text's own headline stands around its body.
    if let Some(main) = mains.rev().max_by_key(|node| weight(*node)) {
        let share = if outline.nodes[main].element == Element::Main { 40 } else { 80 };
        if weight(main) * 100 >= weight(0) * share {
            root = main;
        }
    }
    let mut articles = extents.all_of(root).skip(1).filter(is_free);
    let article = articles.find(|node| {
        outline.nodes[*node].element == Element::Article && weight(*node) * 4 >= weight(root) * 3
    });
    if let Some(article) = article {
        return article;
    }
    loop {
        let own = weight(root);
        let enough = |node: &usize| weight(*node) * 100 >= own * 88 && own > 0;
        let mut children = extents.children(root).filter(is_free);
        let child = children.find(enough);
        let holds = |element: Element| {
            use Element::{
                Article, Blockquote, Body, Center, Custom, Div, Form, Main, Section, Table, Td, Tr,
            };
            matches!(
                element,
                Article | Blockquote | Body | Center | Custom | Div | Form | Main | Section | Table | Td | Tr
            )
        };
        match child {
            Some(child) if holds(outline.nodes[child].element) => {
                // What stands beside it under a heading of the same rank is another chapter: "Description", "Data".
                let is_chapter = |node: &usize| {
                    let sum = &sums[*node];
                    *node != child
                        && sum.ranks & sums[child].ranks & !3 != 0
                        && sum.bytes >= 30
                        && sum.link_share() < 20
                };
                if extents.children(root).filter(is_free).any(|node| is_chapter(&node)) {
                    return root;
                }
                root = child;
            }
            _ => return root,
        }
    }
}

/// Elements that consist of links to elsewhere: on a page of text all of them, in a list only those that look like
/// a menu.
fn link_heavy(outline: &Outline, sums: &[Sum], root: usize, is_list: bool) -> Vec<bool> {
    let mut heavy = vec![false; outline.nodes.len()];
    for at in root + 1..outline.nodes.len() {
        let node = &outline.nodes[at];
        let sum = &sums[at];
        let share = sum.link_share();
        let anchor = sum.link.checked_div(sum.anchors).unwrap_or(0);
        let can_be = node.element.level().is_none()
            && !matches!(node.element, Element::Li | Element::Tr | Element::Dt | Element::Dd | Element::Pre);
        let is_menu = if is_list {
            share >= 80 && sum.anchors >= 3 && anchor < 18
        } else if node.element.is_cell() {
            // In a table of data each row may be a link; a cell with many arranges the page.
            share >= 70 && sum.anchors >= 3
        } else if node.element == Element::P {
            share >= 70 && sum.bytes < 200 && sum.anchors > 0
        } else {
            // A box that is one link as a whole is a teaser.
            let is_card = share >= 90 && sum.bytes < MAX_CARD;
            share >= 60 && (sum.anchors >= 2 || sum.bytes < 100) || is_card
        };
        heavy[at] = heavy[node.parent as usize] && node.parent as usize != root || can_be && is_menu;
    }
    heavy
}

/// The page's headline often stands before the element that holds its text.
fn keep_title(outline: &Outline, aside: &[bool], root: usize, kept: &mut [bool]) {
    let is_title = |at: &usize| {
        let node = outline.blocks[*at].node as usize;
        outline.nodes[node].element == Element::H1 && !aside[node]
    };
    let Some(first) = kept.iter().position(|kept| *kept) else { return };
    let has_own = (0..kept.len()).filter(is_title).any(|at| kept[at]);
    if has_own || root == 0 {
        return;
    }
    // The name of the site is a headline as well on many pages; it links to the start.
    let is_link = |at: &usize| {
        outline.blocks[*at].link_bytes * 10 >= (outline.blocks[*at].end - outline.blocks[*at].start) * 7
    };
    let is_near = |at: &usize| {
        let node = outline.blocks[*at].node as usize;
        first - at <= NEAR_TITLE
            && outline.nodes[node].element.level().is_some_and(|level| level <= 3)
            && !aside[node]
    };
    let title = (0..first).rev().filter(is_title).find(|at| !is_link(at));
    let title = title.or_else(|| (0..first).rev().find(is_near)).or_else(|| (0..first).rev().find(is_title));
    if let Some(title) = title {
        kept[title] = true;
    }
}

/// Blocks between a headline that is not the page's first and its text.
const NEAR_TITLE: usize = 6;

/// Headings that are links, as those of the entries of a list.
fn linked_headings(outline: &Outline, aside: &[bool], within: &Range<usize>) -> usize {
    let is_linked = |block: &&crate::outline::Block| {
        let node = block.node as usize;
        outline.nodes[node].element.level().is_some()
            && block.link_bytes * 10 >= (block.end - block.start) * 7
            && !aside[node]
            && within.contains(&node)
    };
    outline.blocks.iter().filter(is_linked).count()
}

/// Bytes of a lead at least, and blocks between the headline and the text at most.
const LEAD: usize = 40;
const MOST_LEADS: usize = 8;

/// So does its first paragraph, which says in a sentence what the text is about.
fn keep_lead(outline: &Outline, text: &str, aside: &[bool], links: &[bool], kept: &mut [bool]) {
    let is_title = |at: &usize| outline.nodes[outline.blocks[*at].node as usize].element == Element::H1;
    let Some(title) = (0..kept.len()).find(|at| kept[*at]).filter(is_title) else { return };
    let Some(next) = (title + 1..kept.len()).find(|at| kept[*at]) else { return };
    if next - title > MOST_LEADS {
        return;
    }
    let between = outline.blocks.iter().zip(kept.iter_mut()).take(next).skip(title + 1);
    for (block, kept) in between {
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().trim();
        let is_sentence = words.len() >= LEAD
            && block.anchors == 0
            && (words.ends_with(['.', '!', '?', '。', '…', '"', '”', '।']) || words.len() >= 2 * LEAD);
        let node = block.node as usize;
        *kept = is_sentence && !aside[node] && !links[node] && !crate::dates::has_year(words);
    }
}
