//! What is beside the text by what it says, where no name of an element or class tells: questions for consent, boxes
//! that ask for an address, who is who in a forum, stamps of date and number, the lines at a page's foot.
//!
//! Words that pages of every make use, in many languages; small blocks only, so that a text about these things stays.

use std::collections::HashSet;

use crate::beginnings::Beginnings;
use crate::dates;
use crate::element::Element;
use crate::outline::{Block, Outline};
use crate::sections::leads;

/// What an element holds.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) bytes: u32,
    pub(crate) prose: u32,
    pub(crate) anchors: u32,
    pub(crate) h1: bool,
}

/// Sets the boxes aside in which readers are asked for something, and the cards of those who write. True where there
/// are such cards: the page is from a forum.
pub(crate) fn set_aside(outline: &Outline, text: &str, sizes: &[Size], aside: &mut [bool]) -> bool {
    static OF_CONSENT: Beginnings = Beginnings::of(CONSENT);
    static OF_CARDS: Beginnings = Beginnings::of(OF_USERS);
    let total = sizes[0].prose.max(1);
    let is_small = |node: usize, bytes: u32, percent: u32| {
        let size = sizes[node];
        let holds = matches!(outline.nodes[node].element, Element::Article | Element::Main | Element::Body);
        size.bytes <= bytes
            && !size.h1
            && !holds
            && u64::from(size.prose) * 100 < u64::from(total) * u64::from(percent)
    };
    // The outermost element around that is still small.
    let climb = |from: usize, bytes: u32, percent: u32| {
        let mut found = None;
        let mut at = from;
        while at > 0 && is_small(at, bytes, percent) {
            found = Some(at);
            at = outline.nodes[at].parent as usize;
        }
        found
    };
    // With a link or a button beside it, no more.
    let cookies = cookie_lines(outline, text).into_iter();
    let mut chosen: Vec<usize> =
        cookies.filter_map(|at| climb(at, sizes[at].bytes + MAX_LABEL, 40)).collect();
    let asking = (1..outline.nodes.len()).filter(|at| outline.nodes[*at].asks);
    chosen.extend(asking.filter_map(|at| climb(at, MAX_ASKING, 25)));
    let (mut asked, mut led, mut cards) = (0, 0, false);
    for block in &outline.blocks {
        let node = block.node as usize;
        if block.end - block.start > MAX_LABEL {
            continue;
        }
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().trim_start();
        if outline.nodes[node].element == Element::Button {
            if asked < MOST_ASKED && OF_CONSENT.begin(words) {
                asked += 1;
                let found = climb(outline.nodes[node].parent as usize, MAX_CONSENT, 40);
                chosen.extend(found.filter(|found| speaks_of_consent(outline, text, *found)));
            }
        } else if OF_CARDS.begin(words) {
            let mut user = None;
            let mut at = node;
            while at > 0 && sizes[at].bytes <= MAX_USER && sizes[at].prose == 0 {
                user = Some(at);
                at = outline.nodes[at].parent as usize;
            }
            // A card stands beside a text; a page about one user is nothing else.
            let card = user.filter(|_| sizes[at].prose > 0);
            cards |= card.is_some();
            chosen.extend(card);
        } else if outline.nodes[node].element.level().is_none()
            && led < MOST_ASKED
            && may_lead_elsewhere(words)
            && leads(words)
        {
            // A label over teasers that is no heading by its element.
            led += 1;
            let found = climb(node, MAX_TEASERS, 30);
            chosen.extend(found.filter(|found| *found != node && sizes[*found].anchors > 0));
        }
    }
    if chosen.is_empty() {
        return false;
    }
    for node in chosen {
        aside[node] = true;
    }
    for at in 1..aside.len() {
        aside[at] |= aside[outline.nodes[at].parent as usize];
    }
    cards
}

/// The elements of lines that say that the site uses cookies; none on a page that is about them.
fn cookie_lines(outline: &Outline, text: &str) -> Vec<usize> {
    // Most pages do not speak of them at all.
    if memchr::memmem::find(text.as_bytes(), b"ookie").is_none() {
        return Vec::new();
    }
    let speaks = |block: &&Block| {
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default();
        words.len() <= MAX_ASKING as usize && memchr::memmem::find(words.as_bytes(), b"ookie").is_some() && {
            let lower = words.to_lowercase();
            let mut places = memchr::memmem::find_iter(lower.as_bytes(), b"cookie");
            OWN.iter().any(|own| lower.contains(own))
                && places.any(|at| {
                    let before = &lower[lower.floor_char_boundary(at.saturating_sub(MAX_USE))..at];
                    let after = &lower[at..lower.floor_char_boundary(at + MAX_USE)];
                    USES.iter().any(|uses| before.contains(uses) || after.contains(uses))
                })
        }
    };
    let lines: Vec<usize> = outline.blocks.iter().filter(speaks).map(|block| block.node as usize).collect();
    if lines.len() > MOST_COOKIE_LINES { Vec::new() } else { lines }
}

/// Drops lines that mark a place for advertising, and those that are meant for browsers which cannot show something.
pub(crate) fn drop_labels(outline: &Outline, text: &str, kept: &mut [bool]) {
    static OF_ADVERTISING: Beginnings = Beginnings::of(ADVERTISING);
    static OF_EXCUSES: Beginnings = Beginnings::of(EXCUSES);
    for (block, kept) in outline.blocks.iter().zip(kept.iter_mut()).filter(|(_, kept)| **kept) {
        if block.anchors > 0 || (block.end - block.start) as usize > MAX_EXCUSE {
            continue;
        }
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().trim();
        let label = words.trim_matches(|c: char| !c.is_alphanumeric());
        let is_label = label.len() <= MAX_AD_LABEL
            && OF_ADVERTISING.begin(label)
            && ADVERTISING.contains(&label.to_lowercase().as_str());
        if is_label || OF_EXCUSES.begin(words) {
            *kept = false;
        }
    }
}

/// Drops lines that are nothing but a date, a time or a number, as they stand over posts. In a table they are data,
/// unless a row has nothing else.
pub(crate) fn drop_stamps(outline: &Outline, text: &str, kept: &mut [bool]) {
    let stamps: Vec<bool> = outline
        .blocks
        .iter()
        .zip(kept.iter())
        .map(|(block, kept)| {
            let words = text.get(block.start as usize..block.end as usize).unwrap_or_default();
            let is_heading = outline.nodes[block.node as usize].element.level().is_some();
            *kept && !is_heading && words.len() <= MAX_STAMP && is_stamp(words.trim())
        })
        .collect();
    // One is a fact that the text gives, many are the same line again and again.
    if stamps.iter().filter(|stamp| **stamp).count() < 2 {
        return;
    }
    let row_of = |at: usize| row(outline, outline.blocks[at].node as usize);
    // Rows that have something else.
    let data: HashSet<usize> =
        (0..kept.len()).filter(|at| kept[*at] && !stamps[*at]).filter_map(row_of).collect();
    for at in (0..kept.len()).filter(|at| stamps[*at]) {
        kept[at] = row_of(at).is_some_and(|row| data.contains(&row));
    }
}

/// Drops the lines at the end that say whose the page is and when it was changed.
pub(crate) fn drop_colophon(outline: &Outline, text: &str, kept: &mut [bool]) {
    let all: usize = kept.iter().filter(|kept| **kept).count();
    let mut left = all;
    for at in (0..kept.len()).rev() {
        if !kept[at] {
            continue;
        }
        let block = outline.blocks[at];
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().trim();
        let lower = if words.len() <= MAX_COLOPHON { words.to_lowercase() } else { return };
        let is_colophon = words.contains('©')
            || COLOPHON.iter().any(|sign| lower.contains(sign))
            || LAST_WORDS.iter().any(|start| lower.starts_with(start)) && dates::has_year(words);
        // A page about rights has many such lines; then they are what it is about.
        if !is_colophon || left * 2 <= all || left <= 1 {
            return;
        }
        kept[at] = false;
        left -= 1;
    }
}

/// The row of a table in which an element stands.
fn row(outline: &Outline, node: usize) -> Option<usize> {
    let mut at = node;
    while at > 0 {
        if outline.nodes[at].element == Element::Tr {
            return Some(at);
        }
        at = outline.nodes[at].parent as usize;
    }
    None
}

/// `#12`, or a date with a time and hardly anything else.
fn is_stamp(words: &str) -> bool {
    if let Some(number) = words.strip_prefix('#') {
        return !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    }
    if !dates::has_year(words) {
        return false;
    }
    let found = dates::find(words, None);
    let [date] = found.as_slice() else { return false };
    let around = words[..date.range.start].chars().chain(words[date.range.end..].chars());
    // "Tuesday, … at 08:40 AM".
    let (mut letters, mut digits) = (0, 0);
    for c in around {
        letters += usize::from(c.is_alphabetic());
        digits += usize::from(c.is_ascii_digit());
    }
    letters <= 12 && (1..=8).contains(&digits)
}

fn speaks_of_consent(outline: &Outline, text: &str, node: usize) -> bool {
    let within = |at: usize| {
        let mut at = at;
        while at > node {
            at = outline.nodes[at].parent as usize;
        }
        at == node
    };
    outline.blocks.iter().filter(|block| within(block.node as usize)).any(|block| {
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().to_lowercase();
        ABOUT_CONSENT.iter().any(|word| words.contains(word))
    })
}

/// A label has few words and is no sentence.
fn may_lead_elsewhere(words: &str) -> bool {
    words.len() <= 40 && words.starts_with(|c: char| !c.is_lowercase()) && !words.ends_with(['.', '?', ','])
}

/// Buttons with which readers may agree that are looked at.
const MOST_ASKED: usize = 16;

/// Lines on a page that say that it uses cookies: where there are more it is about them.
const MOST_COOKIE_LINES: usize = 2;

/// Bytes around "cookie" in which a word for its use stands.
const MAX_USE: usize = 24;

/// Bytes of a label over advertising, and of an excuse to those who cannot see something.
const MAX_AD_LABEL: usize = 24;
const MAX_EXCUSE: usize = 200;

/// Words for the use of something, beside "cookies".
const USES: &[&str] = &[
    "use",
    "using",
    "verwend",
    "nutz",
    "setzt",
    "einsatz",
    "utilis",
    "usa ",
    "usamos",
    "utiliz",
    "emplea",
    "uporab",
    "gebruik",
    "bruge",
    "bruke",
    "använd",
    "używa",
    "wykorzyst",
    "stosuj",
    "použív",
    "используе",
    "kullan",
    "χρησιμοποι",
    "使用",
    "사용",
    "käyt",
    "folosi",
    "koristi",
    "haszn",
];

/// Words by which a site speaks of itself: what others do is told in a text.
const OWN: &[&str] = &[
    "we ",
    "our ",
    "this ",
    "wir ",
    "unser",
    "diese",
    "nous",
    "notre",
    "nos ",
    "ce site",
    "nuestr",
    "este ",
    "esta ",
    "questo",
    "nostr",
    "noss",
    "deze",
    "onze",
    "vi ",
    "vår",
    "vores",
    "denne",
    "ta strona",
    "nasz",
    "tento",
    "naš",
    "наш",
    "этот",
    "сайт",
    "bu site",
    "sitemiz",
    "μας",
    "本网站",
    "本站",
    "我们",
    "当サイト",
    "본 사이트",
    "oldal",
    "sivusto",
];

/// What stands over advertising.
const ADVERTISING: &[&str] = &[
    "advertisement",
    "advertising",
    "advertisements",
    "advert",
    "sponsored",
    "anzeige",
    "werbung",
    "reklama",
    "reklam",
    "reklame",
    "publicidad",
    "publicidade",
    "publicité",
    "pubblicità",
    "advertentie",
    "annons",
    "annonse",
    "annonce",
    "mainos",
    "реклама",
    "广告",
    "廣告",
    "広告",
    "광고",
    "إعلان",
    "hirdetés",
    "oglas",
];

/// How excuses begin that are made to those whose browser does not show something.
const EXCUSES: &[&str] = &[
    "your browser does not support",
    "your browser doesn't support",
    "your browser doesn’t support",
    "your browser cannot play",
    "sorry, your browser",
    "javascript is disabled",
    "javascript is required",
    "javascript must be",
    "please enable javascript",
    "you need to enable javascript",
    "you must have javascript",
    "to view this content, javascript",
    "this video is not available",
    "ihr browser unterstützt",
    "ihr browser kann",
    "dein browser unterstützt",
    "dein browser kann",
    "bitte aktivieren sie javascript",
    "votre navigateur ne",
    "su navegador no",
    "tu navegador no",
    "il tuo browser non",
    "seu navegador não",
    "uw browser ondersteunt",
    "twoja przeglądarka nie",
    "ваш браузер не",
    "您的浏览器",
    "お使いのブラウザ",
];

/// Bytes of a box that asks for consent, one that asks for an address, teasers, a user's card, a label, a stamp, a last line.
const MAX_CONSENT: u32 = 2_000;
const MAX_ASKING: u32 = 500;
const MAX_TEASERS: u32 = 1_200;
const MAX_USER: u32 = 220;
const MAX_LABEL: u32 = 60;
const MAX_STAMP: usize = 48;
const MAX_COLOPHON: usize = 280;

/// What the button says with which readers agree.
const CONSENT: &[&str] = &[
    "accept",
    "allow",
    "agree",
    "i agree",
    "got it",
    "consent",
    "ok",
    "alle akzeptieren",
    "akzeptieren",
    "zustimmen",
    "einverstanden",
    "alle cookies",
    "ich bin einverstanden",
    "tout accepter",
    "accepter",
    "j'accepte",
    "aceptar",
    "acepto",
    "consentir",
    "accetta",
    "acconsento",
    "aceitar",
    "concordo",
    "akkoord",
    "accepteren",
    "alles accepteren",
    "tillad",
    "acceptera",
    "godkänn",
    "godta",
    "hyväksy",
    "akceptuj",
    "zgadzam",
    "przejdź",
    "přijmout",
    "souhlas",
    "принять",
    "соглас",
    "прийняти",
    "kabul",
    "tamam",
    "αποδοχή",
    "同意",
    "接受",
    "동의",
    "موافق",
    "אישור",
    "elfogad",
    "accepta",
    "sunt de acord",
    "đồng ý",
    "setuju",
    "すべて許可",
];

/// What is then spoken of around it.
const ABOUT_CONSENT: &[&str] = &[
    "cookie",
    "consent",
    "partners store",
    "personal data",
    "privacy",
    "personalis",
    "personaliz",
    "gdpr",
    "datenschutz",
    "données personnelles",
    "vie privée",
    "datos personales",
    "privacidad",
    "dati personali",
    "gegevens",
    "ciasteczk",
    "куки",
    "персональн",
    "çerez",
    "クッキー",
    "쿠키",
    "隐私",
    "隱私",
    "الارتباط",
    "עוגיות",
    "sütik",
];

/// What begins a line of a user's card in a forum.
const OF_USERS: &[&str] = &[
    "join date",
    "joined",
    "member since",
    "posts:",
    "messages:",
    "registered:",
    "reputation:",
    "karma:",
    "likes:",
    "beiträge:",
    "registriert",
    "dabei seit",
    "inscrit",
    "messages :",
    "registrado",
    "mensajes:",
    "iscritto",
    "lid sinds",
    "berichten:",
    "posty:",
    "dołączył",
    "сообщений:",
    "сообщения:",
    "регистрация:",
    "на форуме с",
    "kayıt:",
    "mesaj:",
    "注册时间",
    "积分",
    "帖子",
    "帖子:",
    "帖子：",
];

/// Whose a page is.
const COLOPHON: &[&str] = &[
    "copyright",
    "(c) ",
    "all rights reserved",
    "alle rechte vorbehalten",
    "tous droits réservés",
    "todos los derechos",
    "tutti i diritti",
    "todos os direitos",
    "alle rechten voorbehouden",
    "wszelkie prawa",
    "все права",
    "všechna práva",
    "alla rättigheter",
    "tüm hakları",
    "版权所有",
    "版權所有",
    "保留所有权利",
    "著作権",
    "無断転載",
    "저작권",
    "كل الحقوق",
    "جميع الحقوق",
    "כל הזכויות",
    "सर्वाधिकार",
    "powered by",
    "all times are gmt",
    "all times are utc",
    " server at ",
];

/// What begins the last line of a page.
const LAST_WORDS: &[&str] = &[
    "last updated",
    "last update",
    "last modified",
    "last changed",
    "page last",
    "this page was last",
    "updated",
    "stand:",
    "letzte änderung",
    "zuletzt",
    "dernière mise à jour",
    "mis à jour",
    "última actualización",
    "actualizado",
    "ultimo aggiornamento",
    "ultima modifica",
    "última atualização",
    "atualizado",
    "laatst",
    "ostatnia",
    "обновлено",
    "последнее",
    "sidst opdateret",
    "senast",
    "sist oppdatert",
    "päivitetty",
    "son güncelleme",
    "最終更新",
    "最后更新",
    "最後更新",
    "更新",
    "마지막",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_dates_with_a_time_and_numbers() {
        for (words, expected) in [
            ("#12", true),
            ("14-10-2006, 09:12 PM", true),
            ("Tuesday 5 May 2020 at 8:40", true),
            ("5 May 2020", false),
            ("The treaty of 5 May 2020 has 12 parts", false),
            ("#", false),
            ("#no1", false),
        ] {
            assert_eq!(is_stamp(words), expected, "for {words:?}");
        }
    }
}
