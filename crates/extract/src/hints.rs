//! What class, id, role and a few other attributes say of an element's part on the page.
//!
//! Only words that many makers of pages use in the same sense; none belongs to a single site.

use html::Tag;
use xxhash_rust::xxh3::xxh3_64;

use crate::links::has_word;

/// What an element seems to be for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hint {
    /// Its part on the page.
    pub(crate) part: Part,
    /// Says that it holds what the page is there for.
    pub(crate) main: bool,
    /// Says that it holds a note beside the text, which belongs to it.
    pub(crate) note: bool,
    /// Says that readers unfold it: a tab or a part of an accordion, which belongs to the text even while closed.
    pub(crate) folded: bool,
    /// Not meant for those who look: `aria-hidden` keeps it from those who listen, which is often more than that.
    pub(crate) silent: bool,
    /// Nobody sees it, or only those whose page is read to them; so also where it stands within a line.
    pub(crate) unseen: bool,
    /// Says that it holds a few words about the author.
    pub(crate) of_author: bool,
    /// Says that it holds a fact about the page.
    pub(crate) fact: Option<Fact>,
}

/// A fact about a page that markup points out, the surest last: of several the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fact {
    /// The day of something that the page is about.
    Event,
    Author,
    /// Some date.
    Date,
    Modified,
    Published,
}

/// A part of a page, the surest last: of several the last one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    #[default]
    Unknown,
    /// Who wrote it and when.
    Byline,
    /// Often beside the text, but the word is used for other things as well.
    Weak,
    /// Written by visitors below the text.
    Comments,
    /// Menus, notices, teasers, what is the same on every page.
    Strong,
    /// Not shown.
    Hidden,
}

/// Reads attributes, and remembers what classes said: most stand on a page many times.
#[derive(Default)]
pub(crate) struct Hints {
    /// By a hash of the attribute.
    known: Vec<Option<(String, Hint)>>,
}

/// Classes that are remembered, and bytes of one.
const MOST_KNOWN: usize = 64;
const MAX_KNOWN: usize = 64;

impl Hints {
    /// Reads the attributes of a start tag.
    pub(crate) fn of(&mut self, tag: &Tag<'_>, is_custom: bool) -> Hint {
        let mut hint = Hint::default();
        // Elements that a site has made up are called after their part: `<site-header>`.
        if is_custom {
            words(tag.name(), &mut hint);
        }
        for (name, value) in tag.attributes() {
            match name {
                "class" => hint.join(self.class(value)),
                // Where links lead to, named after the words of a heading.
                "id" if is_anchor(tag.name(), value) => {}
                "id" => words(value, &mut hint),
                _ => attribute(name, value, &mut hint),
            }
        }
        if hint.unseen && !hint.folded {
            hint.add(Part::Hidden);
        }
        hint
    }

    fn class(&mut self, value: &str) -> Hint {
        let mut hint = Hint::default();
        if value.len() > MAX_KNOWN {
            words(value, &mut hint);
            return hint;
        }
        if self.known.is_empty() {
            self.known.resize(MOST_KNOWN, None);
        }
        let place = &mut self.known[xxh3_64(value.as_bytes()) as usize % MOST_KNOWN];
        match place {
            Some((known, hint)) if known == value => *hint,
            _ => {
                words(value, &mut hint);
                *place = Some((value.to_owned(), hint));
                hint
            }
        }
    }
}

/// Whether an id is made from the words of a heading, as `sharing-with-a-friend` is: then it tells what the text is
/// about, not what the element is for.
fn is_anchor(element: &str, id: &str) -> bool {
    const WITHIN_SENTENCES: &[&str] = &[
        "a", "an", "and", "as", "at", "by", "for", "from", "how", "in", "into", "is", "of", "on", "or",
        "the", "to", "using", "vs", "what", "with", "without", "your",
    ];
    let is_heading = matches!(element.as_bytes(), [b'h', b'1'..=b'6']) || element == "dt";
    let is_mark = |byte: &u8| matches!(byte, b'-' | b'_');
    is_heading
        || id.bytes().filter(is_mark).count() >= 2
            && id.split(['-', '_']).any(|word| WITHIN_SENTENCES.contains(&word))
}

fn attribute(name: &str, value: &str, hint: &mut Hint) {
    match name {
        "role" => role(value.trim(), hint),
        "hidden" => hint.unseen = true,
        "aria-hidden" if value == "true" => hint.silent = true,
        "aria-modal" if value == "true" => hint.add(Part::Strong),
        "style" if is_hidden(value) => hint.unseen = true,
        "itemprop" => property(value, hint),
        // RDFa, with or without the prefix of its vocabulary.
        "property" => {
            let names = value.split_ascii_whitespace().take(4);
            for name in names.map(|name| name.rsplit([':', '/']).next().unwrap_or_default()) {
                property(name, hint);
            }
        }
        "rel" if has_word(value, "author") => hint.point_out(Fact::Author),
        "pubdate" | "data-published" | "data-publish-date" | "data-pubdate" => {
            hint.point_out(Fact::Published);
        }
        _ if is_published(name, value) => hint.point_out(Fact::Published),
        "data-timestamp" | "data-datetime" | "data-utime" | "data-unixtime" if value.len() >= 8 => {
            hint.point_out(Fact::Date);
        }
        _ => {}
    }
}

/// Whether scripts find the moment of publication in an attribute: `data-publishtime`, `data-published-at`.
pub(crate) fn is_published(name: &str, value: &str) -> bool {
    name.strip_prefix("data-publi").is_some_and(|rest| !rest.ends_with("id") && !rest.starts_with('c'))
        && value.len() >= 8
        && value.starts_with(|c: char| c.is_ascii_digit())
}

fn property(name: &str, hint: &mut Hint) {
    match name {
        "articleBody" => hint.main = true,
        "datePublished" | "dateCreated" | "uploadDate" | "datePosted" => hint.point_out(Fact::Published),
        "dateModified" | "dateUpdate" => hint.point_out(Fact::Modified),
        "author" | "creator" => hint.point_out(Fact::Author),
        "review" | "reviews" => hint.add(Part::Comments),
        "startDate" | "endDate" | "doorTime" | "validThrough" | "birthDate" => hint.point_out(Fact::Event),
        _ => {}
    }
}

impl Hint {
    fn add(&mut self, part: Part) {
        self.part = self.part.max(part);
    }

    fn point_out(&mut self, fact: Fact) {
        self.fact = self.fact.max(Some(fact));
    }

    /// Takes up what a class says.
    fn join(&mut self, class: Hint) {
        self.part = self.part.max(class.part);
        self.fact = self.fact.max(class.fact);
        self.main |= class.main;
        self.note |= class.note;
        self.folded |= class.folded;
        self.silent |= class.silent;
        self.unseen |= class.unseen;
        self.of_author |= class.of_author;
    }
}

fn is_hidden(style: &str) -> bool {
    let mut plain = [0; 64];
    let mut length = 0;
    for byte in style.bytes().filter(|byte| !byte.is_ascii_whitespace()).take(plain.len()) {
        plain[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    let has = |text: &[u8]| plain[..length].windows(text.len()).any(|window| window == text);
    has(b"display:none") || has(b"visibility:hidden")
}

fn role(value: &str, hint: &mut Hint) {
    match value {
        "main" => hint.main = true,
        "note" | "doc-tip" | "doc-notice" => hint.note = true,
        "tabpanel" => hint.folded = true,
        "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "dialog" | "alertdialog"
        | "menu" | "menubar" | "toolbar" | "doc-toc" | "tablist" => hint.add(Part::Strong),
        _ => {}
    }
}

/// Where a word stands in a class attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the whole attribute.
    Alone,
    /// It is one class among others. Short ones are often made by machines and mean nothing.
    Class,
    /// It begins a class.
    Start,
    Within,
}

/// Longest word that is looked at.
const MAX_WORD: usize = 20;

/// Cuts `site-nav mainNav comment_list` into words.
fn words(value: &str, hint: &mut Hint) {
    let mut is_event = false;
    for class in value.split_ascii_whitespace().take(32) {
        // Names for the days of a person or an event, beside which others may stand for programs that know only those.
        is_event |= matches!(class, "bday" | "dtstart" | "dtend");
        // What it has or is about, not what it is: `has-sidebar`, and a post's tags.
        let prefix = class.split(['-', '_']).next().unwrap_or_default();
        let about =
            ["has", "no", "with", "without", "is", "not", "category", "tag", "type", "status", "format"];
        if prefix.len() < class.len() && about.contains(&prefix) {
            continue;
        }
        if ["sr-only", "screen-reader-text", "visually-hidden", "visuallyhidden"].contains(&class) {
            hint.unseen = true;
        }
        // With a colon another class shows it again: `hidden md:block`.
        if class.ends_with("hidden")
            && ["hidden", "l-hidden", "u-hidden", "js-hidden"].contains(&class)
            && !value.contains(':')
        {
            hint.add(Part::Weak);
        }
        if matches!(class.len(), 11 | 12) {
            let names = ["article-body", "article_body", "articlebody"];
            hint.main |= names.iter().any(|name| class.eq_ignore_ascii_case(name));
        }
        let mut word = [0; MAX_WORD];
        let mut length = 0;
        let mut first = true;
        let mut before = 0_u8;
        // Who wrote a post, as forums have it: `user-info`, `message-cell--user`; not what the user wrote.
        let (mut of_user, mut of_text, mut of_event) = (false, false, false);
        let (mut of_author, mut is_card) = (false, false);
        // `publish-time`, `updated_on`: what is done, and that it is about when.
        let (mut done, mut is_when) = (None, false);
        for byte in class.bytes().chain([b'-']) {
            let ends = !byte.is_ascii_alphanumeric();
            if ends || byte.is_ascii_uppercase() && before.is_ascii_lowercase() {
                if (1..=MAX_WORD).contains(&length) {
                    let place = match first {
                        false => Place::Within,
                        true if length < class.len() => Place::Start,
                        true if class.len() == value.trim().len() => Place::Alone,
                        true => Place::Class,
                    };
                    match &word[..length] {
                        b"user" => of_user = true,
                        b"event" | b"events" | b"deadline" | b"start" | b"end" | b"due" => of_event = true,
                        b"date" | b"datetime" if of_event => hint.point_out(Fact::Event),
                        b"content" | b"text" | b"body" | b"generated" | b"story" | b"guide" | b"agent"
                        | b"post" | b"review" => of_text = true,
                        b"comment" => {
                            of_text = true;
                            hint.add(Part::Comments);
                        }
                        word => {
                            match word {
                                b"publish" | b"published" | b"pub" | b"publication" => {
                                    done = Some(Fact::Published);
                                }
                                b"update" | b"updated" | b"modify" | b"modified" => {
                                    done = Some(Fact::Modified)
                                }
                                b"date" | b"time" | b"datetime" | b"timestamp" | b"at" | b"on" => {
                                    is_when = true
                                }
                                _ => {}
                            }
                            of_author |= matches!(word, b"author" | b"authors" | b"autor");
                            is_card |= matches!(
                                word,
                                b"box"
                                    | b"bio"
                                    | b"about"
                                    | b"card"
                                    | b"description"
                                    | b"profile"
                                    | b"biography"
                            );
                            hint.of_author |= matches!(word, b"authorbox" | b"authorbio" | b"aboutauthor");
                            add_word(word, place, hint);
                        }
                    }
                    first = false;
                }
                length = 0;
            }
            if !ends {
                if length < MAX_WORD {
                    word[length] = byte.to_ascii_lowercase();
                }
                length += 1;
            }
            before = byte;
        }
        hint.of_author |= of_author && is_card;
        if let Some(done) = done.filter(|_| is_when) {
            hint.point_out(done);
        }
        if of_user && !of_text {
            hint.add(Part::Byline);
        }
    }
    if is_event {
        hint.fact = Some(Fact::Event);
    }
}

fn add_word(word: &[u8], place: Place, hint: &mut Hint) {
    match word {
        b"nav" | b"navbar" | b"navigation" | b"navi" | b"topnav" | b"sidenav" | b"subnav" | b"breadcrumb"
        | b"breadcrumbs" | b"crumbs" | b"footer" | b"foot" | b"colophon" | b"copyright" | b"cookie"
        | b"cookies" | b"cookiebar" | b"consent" | b"gdpr" | b"share" | b"sharing" | b"sharebar"
        | b"social" | b"socials" | b"related" | b"recommended" | b"recommendations" | b"newsletter"
        | b"subscribe" | b"subscription" | b"signup" | b"advert" | b"advertisement" | b"ads" | b"adsense"
        | b"adslot" | b"sponsored" | b"pagination" | b"pager" | b"paging" | b"sidebar" | b"skip"
        | b"skiplink" | b"masthead" | b"offcanvas" | b"megamenu" | b"noprint" | b"upsell" | b"crosssell"
        | b"modal" | b"popup" | b"overlay" | b"lightbox" | b"interstitial" | b"leftnav" | b"rightnav"
        | b"sidemenu" | b"submenu" | b"compartir" | b"partager" | b"teilen" | b"condividi"
        | b"relacionadas" | b"relacionados" | b"onetrust" | b"postmetadata" | b"cookiebot"
        | b"relatedposts" | b"relatedarticles" | b"relatedlinks" | b"relatedcontent" | b"relatednews"
        | b"relatedstories" | b"relatedtopics" | b"relateditems" | b"recommend" | b"recommends"
        | b"tuijian" | b"crumb" | b"recirculation" | b"recirc" | b"outbrain" | b"taboola" | b"addthis"
        | b"addtoany" | b"sharethis" | b"sharedaddy" => hint.add(Part::Strong),
        b"ad" if place == Place::Start || place == Place::Alone => hint.add(Part::Strong),
        b"comments" | b"disqus" | b"respond" | b"commentlist" | b"discussion" => hint.add(Part::Comments),
        b"menu" | b"banner" | b"promo" | b"promotion" | b"toolbar" | b"toc" | b"tags" | b"taglist"
        | b"categories" | b"login" | b"signin" | b"search" | b"popular" | b"trending" | b"latest"
        | b"recent" | b"bio" | b"rail" | b"secondary" | b"tertiary" | b"topbar" | b"dropdown"
        | b"actions" | b"tools" | b"controls" | b"buttons" | b"alert" | b"vote" | b"votes" | b"navbox"
        | b"catlinks" | b"toctitle" | b"print" | b"language" | b"languages" | b"locale" | b"sr"
        | b"hatnote" | b"signature" | b"profile" | b"postprofile" | b"avatar" | b"userinfo"
        | b"quicklinks" | b"permalink" | b"teasers" | b"partners" | b"donate" | b"donation" | b"carousel"
        | b"ticker" | b"marketing" | b"feedback" | b"helpful" | b"reactions" | b"suggest" | b"suggested"
        | b"suggestions" | b"paywall" => hint.add(Part::Weak),
        b"widget" | b"screen" | b"visually" if place != Place::Within => hint.add(Part::Weak),
        b"side" | b"lateral" if matches!(place, Place::Alone | Place::Class) => hint.add(Part::Weak),
        b"accordion" | b"collapse" | b"collapsible" | b"tab" | b"tabs" | b"tabpanel" | b"panel"
        | b"expandable" | b"spoiler" | b"faq" => hint.folded = true,
        b"byline" | b"author" | b"authors" | b"postauthor" | b"username" | b"bigusername" | b"vcard"
        | b"writer" | b"reporter" | b"autor" | b"autore" | b"auteur" | b"verfasser" | b"firma" => {
            hint.add(Part::Byline);
            hint.point_out(Fact::Author);
        }
        b"date" | b"dateline" | b"timestamp" | b"datetime" | b"fecha" | b"datum" | b"timeago"
        | b"postdate" | b"entrydate" | b"articledate" | b"newsdate" | b"storydate" | b"newsdatum" => {
            hint.add(Part::Byline);
            hint.point_out(Fact::Date);
        }
        b"time" | b"tarih" | b"tanggal" | b"dato" => hint.point_out(Fact::Date),
        b"data" if matches!(place, Place::Alone | Place::Class) => hint.point_out(Fact::Date),
        b"published" | b"posted" | b"pubdate" | b"pubtime" | b"publishdate" | b"publishtime"
        | b"publisheddate" | b"datepublished" | b"dateposted" | b"postedon" | b"createdate" => {
            hint.add(Part::Byline);
            hint.point_out(Fact::Published);
        }
        b"updated" | b"modified" | b"lastmod" | b"lastupdated" | b"lastmodified" | b"modifydate" => {
            hint.add(Part::Byline);
            hint.point_out(Fact::Modified);
        }
        b"meta" | b"metadata" | b"publication" | b"postmeta" | b"submitted" | b"readtime" => {
            hint.add(Part::Byline);
        }
        b"admonition" | b"callout" | b"note" | b"tip" | b"warning" | b"hint" | b"infobox" | b"pullquote" => {
            hint.note = true
        }
        // Signs beside headings that only the mouse brings up.
        b"editsection" | b"headerlink" => {
            hint.add(Part::Weak);
            hint.unseen = true;
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, expected: Part) {
        let mut hint = Hint::default();
        words(value, &mut hint);
        assert_eq!(hint.part, expected, "of {value:?}");
    }

    #[test]
    fn words_of_a_class_tell_the_part() {
        check("site-nav", Part::Strong);
        check("mainNav", Part::Strong);
        check("post-content entry", Part::Unknown);
        check("related_posts", Part::Strong);
        check("comment-list", Part::Comments);
        check("ad-slot", Part::Strong);
        check("download-ad", Part::Unknown);
        check("ad", Part::Strong);
        check("ac ad", Part::Unknown);
        check("entry-meta", Part::Byline);
        check("widget widget_recent", Part::Weak);
        check("elementor-widget", Part::Unknown);
        check("navigate averyverylongwordthatisnotlookedat-nav", Part::Strong);
    }

    #[test]
    fn what_an_element_has_is_not_what_it_is() {
        check("has-sidebar no-comments tag-social category-ads", Part::Unknown);
        check("layout with-nav", Part::Unknown);
    }

    #[test]
    fn styles_hide() {
        assert!(is_hidden("color: red; Display : none"));
        assert!(!is_hidden("display: block"));
    }
}
