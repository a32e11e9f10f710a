//! Headings and what they head: closing sections that lead elsewhere, and headings of nothing.

use crate::beginnings::Beginnings;
use crate::outline::Outline;

/// First words of headings over links to other pages, lower-case, in many languages.
const ELSEWHERE: &[&str] = &[
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
    "also read",
    "see also:",
    "recent posts",
    "recent articles",
    "latest posts",
    "latest articles",
    "latest stories",
    "don't miss",
    "das könnte",
    "das thema könnte",
    "neueste artikel",
    "neueste beiträge",
    "aktuelle beiträge",
    "letzte beiträge",
    "passend zum thema",
    "derniers articles",
    "articles récents",
    "voir aussi",
    "à découvrir",
    "entradas recientes",
    "últimas noticias",
    "últimas notícias",
    "lea también",
    "lee también",
    "ver también",
    "ultimi articoli",
    "ultime notizie",
    "další zprávy",
    "mohlo by vás",
    "najnowsze",
    "последние новости",
    "recente berichten",
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
    "为您推荐",
    "为你推荐",
    "精彩推荐",
    "猜你喜欢",
    "您可能",
    "你可能",
    "热点新闻",
    "热门",
    "延伸阅读",
    "延伸閱讀",
    "推薦",
    "相關",
    "あわせて読みたい",
    "人気記事",
    "많이 본",
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

/// Bytes of a text that visitors may have written more below than it has itself.
const OWN_TEXT: u32 = 600;

/// Drops what stands below headings that say it leads elsewhere, up to the next heading of their rank.
pub(crate) fn drop_closing(outline: &Outline, text: &str, is_thread: bool, kept: &mut [bool]) {
    let total: u32 = weigh(outline, kept, 0, kept.len());
    let mut before = 0;
    let mut at = 0;
    while at < kept.len() {
        let block = outline.blocks[at];
        let bytes = block.end - block.start;
        let level = outline.nodes[block.node as usize].element.level();
        if let (true, Some(level)) = (kept[at], level)
            && bytes as usize <= MAX_HEADING
            && (before * 3 >= total || before >= OWN_TEXT && !is_thread)
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
            let elsewhere = begins(ELSEWHERE) && links * 5 >= own && before * 3 >= total;
            if elsewhere || begins(COMMENTS) {
                kept[at..end].fill(false);
                at = end;
                continue;
            }
        }
        if kept[at] && level.is_none() && leads_elsewhere(outline, text, at) {
            kept[at] = false;
            // The links that follow, line by line.
            while kept.get(at + 1).is_some_and(|next| *next) && is_link(outline, at + 1) {
                at += 1;
                kept[at] = false;
            }
        }
        if kept[at] {
            before += bytes;
        }
        at += 1;
    }
}

/// Whether words begin as those of [`ELSEWHERE`] do.
pub(crate) fn leads(words: &str) -> bool {
    static LEADS: Beginnings = Beginnings::of(ELSEWHERE);
    LEADS.begin(words)
}

/// Longest line that says where to read on, with the link in it.
const MAX_LEAD: u32 = 200;

/// Whether a line within the text says what to read next: "Also read: …" with a link, or a label before links.
fn leads_elsewhere(outline: &Outline, text: &str, at: usize) -> bool {
    let block = outline.blocks[at];
    let bytes = block.end - block.start;
    if bytes > MAX_LEAD {
        return false;
    }
    let holds_link = block.link_bytes * 2 >= bytes;
    let is_label =
        block.anchors == 0 && bytes <= 60 && at + 1 < outline.blocks.len() && is_link(outline, at + 1);
    if !holds_link && !is_label {
        return false;
    }
    let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().trim_start();
    let words = words.trim_start_matches(|c: char| !c.is_alphanumeric());
    words.starts_with(|c: char| !c.is_lowercase()) && leads(words)
}

fn is_link(outline: &Outline, at: usize) -> bool {
    let block = outline.blocks[at];
    block.link_bytes * 10 >= (block.end - block.start) * 7
}

/// Bytes from which on a heading may be a sentence of the text.
const SENTENCE: usize = 80;

/// Headings stay where something that they head stays. In a list of headings they are what the page is there for.
/// A sentence is a lead, whatever its element.
pub(crate) fn drop_empty_headings(outline: &Outline, text: &str, kept: &mut [bool], is_list: bool) {
    // The highest rank of a heading below, before anything but headings: 7 where text follows.
    let mut next = 0;
    for at in (0..kept.len()).rev() {
        if !kept[at] {
            continue;
        }
        let node = outline.nodes[outline.blocks[at].node as usize];
        let block = outline.blocks[at];
        let is_sentence = || {
            let words = text.get(block.start as usize..block.end as usize).unwrap_or_default();
            words.len() >= SENTENCE && block.anchors == 0 && words.trim_end().ends_with(['.', '!', '。', '…'])
        };
        match node.element.level() {
            None => next = 7,
            Some(level) if level > 1 && next <= level && is_sentence() => next = 7,
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
