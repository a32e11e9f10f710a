//! Tests of both paths against html5ever reading alone, with its own tokenizer, and against each other.

use std::cell::RefCell;
use std::fmt::Write as _;

use html5ever::TokenizerResult;
use html5ever::interface::{QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use proptest::prelude::*;

use crate::ElementName;
use crate::arena::Arena;
use crate::{Kind, Listener, NodeId, Space, Tag, Tree};

/// Writes down what it hears, one event per line; pieces of text are joined, after a quote.
#[derive(Default)]
struct Log {
    lines: Vec<String>,
    in_text: bool,
}

impl Log {
    fn line(&mut self, line: String) {
        self.lines.push(line);
        self.in_text = false;
    }
}

impl Listener for Log {
    fn start(&mut self, tag: &Tag<'_>) {
        assert_eq!(tag.element_name(), ElementName::of(tag.name()), "{}", tag.name());
        let mut line = format!("<{}", tag.name());
        for (name, value) in tag.attributes() {
            write!(line, " {name}={value:?}").unwrap();
        }
        line.push_str(if tag.self_closing() { "/>" } else { ">" });
        self.line(line);
    }

    fn end(&mut self, name: &str, element: ElementName) {
        assert_eq!(element, ElementName::of(name), "{name}");
        self.line(format!("</{name}>"));
    }

    fn text(&mut self, text: &str) {
        if !self.in_text {
            self.line("'".to_owned());
        }
        self.in_text = true;
        self.lines.last_mut().unwrap().push_str(text);
    }
}

/// Writes down the same without attributes, which it wants of all tags or of none.
#[derive(Default)]
struct Names {
    log: Log,
    wants_attributes: bool,
}

impl Listener for Names {
    fn start(&mut self, tag: &Tag<'_>) {
        self.log.line(format!("<{}", tag.name()));
    }

    fn wants_attributes(&self, _: ElementName) -> bool {
        self.wants_attributes
    }

    fn end(&mut self, name: &str, element: ElementName) {
        self.log.end(name, element);
    }

    fn text(&mut self, text: &str) {
        self.log.text(text);
    }
}

/// html5ever's tokenizer and tree builder, with the log between them.
struct Between {
    log: RefCell<Log>,
    builder: TreeBuilder<u32, Arena>,
}

impl TokenSink for Between {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        let mut log = self.log.borrow_mut();
        match &token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let mut line = format!("<{}", tag.name);
                for attribute in &tag.attrs {
                    write!(line, " {}={:?}", attribute.name.local, &*attribute.value).unwrap();
                }
                line.push_str(if tag.self_closing { "/>" } else { ">" });
                log.line(line);
            }
            Token::TagToken(tag) => log.end(&tag.name, ElementName::of(&tag.name)),
            Token::CharacterTokens(text) => log.text(text),
            _ => {}
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn html5ever(html: &str) -> (Vec<String>, String) {
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        quirks_mode: QuirksMode::NoQuirks,
        ..TreeBuilderOpts::default()
    };
    let sink = Between { log: RefCell::default(), builder: TreeBuilder::new(Arena::new(), options) };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() });
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let tree = tokenizer.sink.builder.sink.finish();
    (tokenizer.sink.log.into_inner().lines, draw(&tree))
}

/// A tree as text, indented, for comparison.
fn draw(tree: &Tree) -> String {
    let mut drawing = String::new();
    for id in (0..tree.len() as u32).map(NodeId) {
        let depth = std::iter::successors(tree.parent(id), |at| tree.parent(*at)).count();
        write!(drawing, "{:1$}", "", depth).unwrap();
        match tree.kind(id) {
            Kind::Element => {
                let space = match tree.space(id) {
                    Some(Space::Html) => "",
                    Some(Space::Svg) => "svg ",
                    _ => "math ",
                };
                write!(drawing, "{space}{}", tree.name(id).unwrap()).unwrap();
                for (name, _, value) in tree.attributes(id) {
                    write!(drawing, " {name}={value:?}").unwrap();
                }
                drawing.push('\n');
            }
            kind => writeln!(drawing, "{kind:?} {:?}", tree.text(id)).unwrap(),
        }
    }
    drawing
}

fn log_of(run: impl FnOnce(&mut Log)) -> Vec<String> {
    let mut log = Log::default();
    run(&mut log);
    log.lines
}

/// Both paths hear what html5ever hears, and the tree is html5ever's.
fn check(html: &str) {
    let (events, drawing) = html5ever(html);
    let mut tree = None;
    let with_tree = log_of(|log| tree = Some(crate::parse(html, log)));
    assert_eq!(with_tree, events, "events with a tree, of {html:?}");
    assert_eq!(draw(&tree.unwrap()), drawing, "tree of {html:?}");
    let without = log_of(|log| crate::read(html, log));
    assert_eq!(without, events, "events without a tree, of {html:?}");
}

#[test]
fn ordinary_markup_is_heard_alike() {
    for html in [
        "",
        "plain",
        "<!DOCTYPE html><html lang=de><head><title>A &amp; B</title></head><body class='x y'>Hi</body></html>",
        "<p>one<p>two<br>three<hr/>",
        "<A HREF=x Class=\"y\">Z</A>",
        "<a href=1 href=2 HREF=3>",
        "<ul><li>a<li>b</ul>",
        "<table><tr><td>1<td>2<tr><td>3</table>",
        "<b><i>x</b>y</i>",
        "<p><b>one<p>two</b>three",
        "<!-- a --><p>b<!-- c -->d</p><!--",
        "a&lt;b&#65;&#x42;&nosuch;&ampersand;&not;in&notin;&#0;&#x80;&#xD800;&#x110000;",
        "<a href='?a=1&amp;b=2&copy=3&copy;&lt=4'>",
        "caf\u{e9} \u{1f600} <p title='\u{4e16}'>\u{754c}",
        "a\r\nb\rc\n<pre>\r\n\nx</pre>",
    ] {
        check(html);
    }
}

#[test]
fn content_that_is_no_markup_is_heard_as_text() {
    for html in [
        "<script>if (a<b) document.write('<p>x</p>')</script>y",
        "<script><!-- <script> </script> --></script>z",
        "<script><!-- <script> \u{e9}\u{1f600} </script> \u{e9}</script>z",
        "<script>\u{e9}<!--\u{e9}-\u{e9}--\u{e9}<\u{e9}</\u{e9}</s\u{e9}></script>z",
        "<style>a>b{content:'</p>'}</style>z",
        "<title><b>&lt;</b></title>z",
        "<textarea><p>&gt;</textarea>z",
        "<textarea>\nx</textarea>",
        "<iframe><p>x</iframe>z",
        "<xmp><p>&lt;</xmp>z",
        "<noembed><p></noembed>z<noframes><p></noframes>",
        "<noscript><p>x<a href=y>z</a></noscript>",
        "<head><noscript><link href=x><style>p</style></noscript><title>t</title>",
        "<plaintext><p>x</plaintext>",
        "<script/>x</script>y",
        "<title/>x</title>y",
        "<script>x",
        "<title>x</titl",
        "<title>x</title",
        "<title>x</title >y",
        "<TITLE>x</TiTlE a=b>y",
        "<select><option>a<textarea>b<p></textarea><option>c</select>",
        "<table><title>x</title><style>y</style><script>z</script></table>",
        "<template><script>a</script><title>b</title></template>",
    ] {
        check(html);
    }
}

#[test]
fn broken_markup_is_heard_alike() {
    for html in [
        "<",
        "</",
        "<>",
        "</>",
        "<!",
        "<?xml version='1.0'?><p>",
        "<!doctype>",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://x\">x",
        "<p",
        "<p a",
        "<p a=",
        "<p a='",
        "<p a='x",
        "<p a='x'b=y>",
        "<p =x>",
        "<p a=x/>",
        "<p / a>",
        "<p a/b/c=d/>",
        "<p \"a\"=b 'c'>",
        "<p a<b=c>",
        "</p a=b>",
        "</p/>",
        "</p",
        "<1>x</1>",
        "<a\u{e9}>x</a\u{e9}>",
        "<a \u{e9}=\u{e9}>",
        "a\0b<p\0q r\0s='t\0u'>\0</p><title>\0</title><script>\0</script>",
        "<!-- a -- b --!> c -->",
        "<!--> a --><!---> b -->",
        "<![CDATA[x]]>y",
        "</body></html><p>after",
        "<br></br></p></hr>",
        "<form><form><input></form></form>",
        "<a>1<a>2<div><a>3</div></a>",
        "<table>x<tr>y<td>z</table>w",
        "<table><b>x<tr><td>y</table>",
        "<frameset><frame src=a><noframes><p>x</noframes></frameset>",
        "\u{feff}<p>x",
        "<html a=1><html b=2 a=3><body c=4><body d=5>",
    ] {
        check(html);
    }
}

#[test]
fn drawings_and_formulas_are_heard_alike() {
    for html in [
        "<svg><title><b>x</b></title><style>a<b>c</style></svg><title><b></title>",
        "<svg><script>a<b></script></svg>",
        "<svg><![CDATA[a<b>c]]d]]]></svg><![CDATA[x]]>",
        "<svg><g><![CDATA[x]]></g><foreignObject><div><![CDATA[y]]><title><b></title></div></foreignObject><path/></svg>",
        "<svg/><![CDATA[x]]><title><b></title>",
        "<svg><desc><p>x</p><svg><title><i></i></title></svg></desc><![CDATA[y]]></svg>",
        "<svg><p>x</svg><title><b></title>",
        "<svg><desc><a>1<a>2</a><![CDATA[x]]></a></desc><![CDATA[y]]></svg>",
        "<svg><desc><p>1<p>2</p><![CDATA[x]]></desc></svg>",
        "<svg><font>x<![CDATA[y]]></font><font color=red><![CDATA[z]]>",
        "<div><svg><g></div><![CDATA[x]]><title><b></title>",
        "<svg><g></div><![CDATA[x]]></g></svg>",
        "<div></div><svg><g></div><![CDATA[x]]></g></svg>",
        "<math><mi><b>x</b><![CDATA[y]]></mi><![CDATA[z]]></math>",
        "<math><annotation-xml><svg><![CDATA[x]]></svg></annotation-xml></math>",
        "<math><annotation-xml encoding='text/HTML'><p>a</p><title><b></title></annotation-xml><![CDATA[x]]></math>",
        "<math><mi><mglyph><![CDATA[x]]></mglyph></mi></math>",
        "<svg><linearGradient viewBox='1'/><a xlink:href='x'>y</a></svg>",
        "<svg>a\0b<![CDATA[c\0d]]></svg>",
        "<p><svg><circle/></svg><script>a<b</script>",
    ] {
        check(html);
    }
}

/// The price of having no tree: all that is known to differ. The tree path follows the standard.
#[test]
fn known_differences_between_the_paths() {
    fn differ(html: &str) {
        let with_tree = log_of(|log| drop(crate::parse(html, log)));
        assert_eq!(with_tree, html5ever(html).0, "of {html:?}");
        assert_ne!(log_of(|log| crate::read(html, log)), with_tree, "no longer different: {html:?}");
    }
    // A page of frames ignores other elements, so that their content is read as markup.
    differ("<frameset><script>a<b></script></frameset>");
    // A template that starts with columns takes nothing but columns.
    differ("<template><col><title><b></title></template>");
    // The first item ended with the second, so none is open around the drawing.
    differ("<li>1<li>2</li><svg><g></li><![CDATA[x]]></g></svg>");
}

#[test]
fn a_real_page_is_heard_alike() {
    let page = include_str!("../tests/pages/shop.html");
    check(page);
    check(include_str!("../tests/pages/blog.html"));
    // Cut anywhere.
    for (cut, _) in page.char_indices().filter(|(at, _)| at % 7 == 0) {
        check(&page[..cut]);
    }
}

#[test]
fn attributes_are_limited() {
    let many: String = (0..1_000).map(|nth| format!(" a{nth}={nth}")).collect();
    let long = "\u{e9}".repeat(100_000);
    let html = format!("<p{many}><p title='x{long}' lang=de>");
    let heard = log_of(|log| crate::read(&html, log));
    assert_eq!(heard[0].matches('=').count(), crate::limits::ATTRIBUTES);
    assert!(heard[1].ends_with("\u{e9}\" lang=\"de\">"));
    assert_eq!(heard[1].matches('\u{e9}').count(), (crate::limits::VALUE - 1) / 2);
    assert_eq!(log_of(|log| drop(crate::parse(&html, log))), heard);
}

#[test]
fn one_tag_with_half_a_million_attributes_is_cheap() {
    let mut html = String::from("<p");
    (0..500_000).for_each(|nth| write!(html, " a{nth}").unwrap());
    html.push_str(">x");
    assert_eq!(crate::parse(&html, &mut ()).text_content(NodeId(0)), "x");
}

#[test]
fn a_hundred_thousand_open_elements_are_no_trouble() {
    for name in "div b span table><td svg a blockquote template ul><li p".split(' ') {
        let html = format!("<{name}>").repeat(100_000) + "x<a href=y>z</a>";
        let tree = crate::parse(&html, &mut ());
        assert!(tree.text_content(tree.root()).contains('x'), "for {name}");
        let close = name.split('>').next().unwrap();
        let tree = crate::parse(&(html + &format!("</{close}>").repeat(100_000)), &mut ());
        assert!(tree.len() < 1_000_000, "for {name}");
    }
}

#[test]
fn elements_that_open_again_and_again_end_at_the_limit() {
    let mut html = String::from("<p>");
    (0..500).for_each(|nth| write!(html, "<b id={nth} title='{}'>", "x".repeat(1_000)).unwrap());
    html.push_str("</p>");
    html.push_str(&"<p>x</p>".repeat(100_000));
    html.push_str("<title>last</title>");
    let mut heard = Log::default();
    let tree = crate::parse(&html, &mut heard);
    assert!(tree.is_cut());
    assert_eq!(heard.lines[heard.lines.len() - 2], "'last");
}

#[test]
fn texts_that_grow_in_turn_are_joined_in_time() {
    let html = format!("<table>{}</table>", "a<td>b</td>".repeat(100_000));
    let tree = crate::parse(&html, &mut ());
    assert_eq!(tree.text_content(tree.root()), format!("{}{}", "a".repeat(100_000), "b".repeat(100_000)));
}

#[test]
fn ids_are_in_document_order() {
    let (table, adopted) = ("<table>x<tr><td>y</table>z", "<a><div><a>1</div>2");
    for html in ["<p>a<b>c</b></p>d", table, adopted, "</body>x<!-- y --><p>z"] {
        let tree = crate::parse(html, &mut ());
        for id in (1..tree.len() as u32).map(NodeId) {
            assert!(tree.parent(id).is_some_and(|parent| parent < id), "in {html:?}");
            assert!(tree.previous(id).is_none_or(|previous| previous < id), "in {html:?}");
        }
        let all: Vec<NodeId> = tree.descendants(tree.root()).collect();
        assert_eq!(all.len() + 1, tree.len(), "in {html:?}");
    }
}

/// Pieces of markup that go wrong together, without the known differences.
fn soup() -> impl Strategy<Value = String> {
    let names = "a b i p div li ul table tr td th tbody caption col select option optgroup title textarea script style \
                 noscript iframe head body html form input br img h1 button template nobr font pre xmp noframes object \
                 ruby rt dd dt hr custom-x plaintext plaintex blockquo blockquotes";
    let name = prop::sample::select(names.split_whitespace().collect::<Vec<_>>());
    let piece = prop_oneof![
        8 => (name.clone(), "[ /]?[a-c='\"& ]{0,8}").prop_map(|(name, rest)| format!("<{name}{rest}>")),
        6 => name.clone().prop_map(|name| format!("<{name}>")),
        6 => name.prop_map(|name| format!("</{name}>")),
        4 => "[a-z &;#<>\n\r\u{0}é😀-]{0,6}",
        1 => "<!--[a>! -]{0,6}(-->)?",
        // No line feed: html5ever keeps one that should be dropped, after `<pre>`, if its reference has an error.
        1 => "&(amp|lt|notit|#x?[2-9b-f][0-9a-f]{1,4})[;=a ]?",
        1 => "<![a-zA-Z\\[ ]{0,8}>?",
    ];
    prop::collection::vec(piece, 0..40)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("columns in a template", |html| !(html.contains("<template") && html.contains("<col")))
}

/// What a tokenizer can stumble over: ends of scripts and comments, doctypes, quotes, references. The table at the end shows
/// whether the page is read as old ones are.
fn knots() -> impl Strategy<Value = String> {
    let of = |pieces: &'static str| {
        let piece = prop::sample::select(pieces.split('|').collect::<Vec<_>>());
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    };
    let doctype = of(" |a|\"|'|public|SYSTEM|html|-//w3c//dtd html 3.2//en|\u{0}|\t|\r");
    let script = of(
        "<!--|-->|--!>|<script>|</script>|</script |<SCRIPTY>|</Script/|-|<|>|</scr|x|\u{0}|\u{e9}|<!-|--",
    );
    let title =
        of("&amp;|&|&am|</titl|</title|</TITLE |<|>|x|</title>|\u{0}|\u{e9}|&#|&#x|65|;|&not|it|&notin;");
    let attributes = of(" |=|/|\"|'|a|B|c|&amp|&copy|;|&#65|\u{0}|\n|\t|\u{e9}|>|<|\r\n|\u{c}|a=b|a='1'");
    let comment = of("-|!|>|<|a|--|<!|\u{0}|\u{e9}");
    let knot = prop_oneof![
        1 => doctype.prop_map(|inside| format!("<!doctype{inside}>")),
        3 => script.prop_map(|inside| format!("<script>{inside}")),
        2 => title.prop_map(|inside| format!("<title>{inside}")),
        3 => attributes.prop_map(|inside| format!("<p{inside}>")),
        1 => (0..4_usize, of(" |=|a|>|/|'|\"")).prop_map(|(name, rest)| {
            format!("</{}{rest}", ["p", "script", "title", ""][name])
        }),
        2 => comment.prop_map(|inside| format!("<!--{inside}")),
        1 => of("<|!|?|/|a|>|&|\u{0}|[CDATA[|]]>|-->"),
    ];
    prop::collection::vec(knot, 1..6).prop_map(|knots| knots.concat() + "<p><table>")
}

/// Well-formed drawings.
fn drawing() -> impl Strategy<Value = String> {
    let leaf = prop_oneof!["[a-z& ]{0,4}", Just("<![CDATA[a<b]]>".to_owned()), Just("<path/>".to_owned())];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = "g title style script desc foreignObject a text svg";
        let name = prop::sample::select(names.split(' ').collect::<Vec<_>>());
        (name, prop::collection::vec(inner, 0..4))
            .prop_map(|(name, inner)| format!("<{name}>{}</{name}>", inner.concat()))
    })
    .prop_map(|inner| format!("<svg>{inner}</svg>"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn tag_soup_is_heard_alike(html in soup()) {
        check(&html);
    }

    #[test]
    fn knots_are_heard_alike(html in knots()) {
        check(&html);
    }

    #[test]
    fn drawings_in_tag_soup_are_heard_alike(html in drawing(), after in "[a-z]{0,3}(<title><b></title>)?") {
        check(&(html + &after));
    }

    #[test]
    fn attributes_that_nobody_wants_change_nothing(
        html in soup(),
        tag in "<(p|svg|a/?)([ /]{0,2}[a=]{1,2} ?=? ?(\"[a>' ]{0,3}\"|'[a>\"]{0,2}'|[a/\"']{0,2})){0,3}[ /]{0,2}>?",
    ) {
        let html = tag + &html;
        let [told, untold] = [true, false].map(|wants_attributes| {
            let mut names = Names { wants_attributes, ..Names::default() };
            crate::read(&html, &mut names);
            names.log.lines
        });
        prop_assert_eq!(told, untold, "{}", html);
    }

    #[test]
    fn any_text_is_read(html in "\\PC*", soup in soup()) {
        let html = html + "<svg>" + &soup + "<frameset>" + &soup;
        let mut heard = Log::default();
        crate::read(&html, &mut heard);
        let with_tree = log_of(|log| drop(crate::parse(&html, log)));
        prop_assert_eq!(with_tree, html5ever(&html).0);
    }
}
