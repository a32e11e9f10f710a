//! Headings and what they head: closing sections that lead elsewhere, and headings of nothing.

use crate::outline::Outline;

/// First words of headings over links to other pages, lower-case, in many languages.
pub(crate) const ELSEWHERE: &[&str] = &[
    "related",
    "read next",
    "read more",
    "read also",
    "more from",
    "more on this",
    "more stories",
    "more in ",
    "you may also",
    "you might also",
    "also like",
    "recommended",
    "popular",
    "most read",
    "trending",
    "latest news",
    "share this",
    "customers also",
    "similar ",
    "follow us",
    "about the author",
    "newsletter",
    "das könnte",
    "mehr zum thema",
    "weitere artikel",
    "ähnliche",
    "auch interessant",
    "lesen sie auch",
    "verwandte",
    "meistgelesen",
    "à lire aussi",
    "lire aussi",
    "articles similaires",
    "sur le même",
    "à voir aussi",
    "les plus lus",
    "artículos relacionados",
    "relacionad",
    "también te",
    "te puede interesar",
    "lo más leído",
    "les også",
    "flere saker",
    "læs også",
    "lue myös",
    "lue lisää",
    "altri articoli",
    "plus d'articles",
    "autres articles",
    "más noticias",
    "más artículos",
    "mais notícias",
    "outras notícias",
    "meer nieuws",
    "więcej",
    "ещё по теме",
    "ещё новости",
    "leggi anche",
    "articoli correlati",
    "potrebbe interessart",
    "leia também",
    "veja também",
    "artigos relacionados",
    "lees ook",
    "gerelateerd",
    "czytaj także",
    "czytaj też",
    "zobacz też",
    "podobne",
    "polecane",
    "читайте также",
    "похожие",
    "по теме",
    "související",
    "čtěte také",
    "läs också",
    "relaterad",
    "läs mer",
    "ilgili",
    "benzer",
    "σχετικά",
    "διαβάστε επίσης",
    "関連",
    "おすすめ",
    "相关",
    "推荐",
    "관련",
    "추천",
    "مواضيع ذات",
    "اقرأ أيضا",
];

/// First words of headings over what visitors wrote.
const COMMENTS: &[&str] = &[
    "comments",
    "leave a comment",
    "leave a reply",
    "responses",
    "join the conversation",
    "kommentare",
    "commentaires",
    "comentarios",
    "commenti",
    "comentários",
    "reacties",
    "komentarze",
    "комментарии",
    "komentáře",
    "kommentarer",
    "yorumlar",
    "σχόλια",
    "コメント",
    "评论",
    "댓글",
    "التعليقات",
    "hozzászólások",
    "comentarii",
];

/// Longest heading that is compared.
const MAX_HEADING: usize = 90;

/// Drops what stands below headings that say it leads elsewhere, up to the next heading of their rank.
pub(crate) fn drop_closing(outline: &Outline, text: &str, kept: &mut [bool]) {
    let total: u32 = weigh(outline, kept, 0, kept.len());
    let mut before = 0;
    let mut at = 0;
    while at < kept.len() {
        let block = outline.blocks[at];
        let bytes = block.end - block.start;
        let level = outline.nodes[block.node as usize].element.level();
        if let (true, Some(level)) = (kept[at], level)
            && bytes as usize <= MAX_HEADING
            && before * 3 >= total
        {
            let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().trim();
            let lower = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').to_lowercase();
            // The dotted capital I becomes two characters.
            let lower = lower.replace('\u{307}', "");
            let begins = |list: &[&str]| list.iter().any(|start| lower.starts_with(start));
            let end = section_end(outline, at, level);
            let links: u32 =
                (at + 1..end).filter(|at| kept[*at]).map(|at| outline.blocks[at].link_bytes).sum();
            let own = weigh(outline, kept, at + 1, end);
            let elsewhere = begins(ELSEWHERE) && links * 5 >= own;
            if elsewhere || begins(COMMENTS) {
                kept[at..end].fill(false);
                at = end;
                continue;
            }
        }
        if kept[at] {
            before += bytes;
        }
        at += 1;
    }
}

/// Headings stay where something that they head stays. In a list of headings they are what the page is there for.
pub(crate) fn drop_empty_headings(outline: &Outline, kept: &mut [bool], is_list: bool) {
    // The highest rank of a heading below, before anything but headings: 7 where text follows.
    let mut next = 0;
    for at in (0..kept.len()).rev() {
        if !kept[at] {
            continue;
        }
        let node = outline.nodes[outline.blocks[at].node as usize];
        match node.element.level() {
            None => next = 7,
            Some(level) => {
                let heads = next > level || level == 1;
                if !heads && !is_list {
                    kept[at] = false;
                } else {
                    next = level;
                }
            }
        }
    }
}

fn section_end(outline: &Outline, at: usize, level: u8) -> usize {
    let ends = |block: &crate::outline::Block| {
        outline.nodes[block.node as usize].element.level().is_some_and(|other| other <= level)
    };
    let rest = &outline.blocks[at + 1..];
    rest.iter().position(ends).map_or(outline.blocks.len(), |end| at + 1 + end)
}

fn weigh(outline: &Outline, kept: &[bool], from: usize, to: usize) -> u32 {
    (from..to).filter(|at| kept[*at]).map(|at| outline.blocks[at].end - outline.blocks[at].start).sum()
}
