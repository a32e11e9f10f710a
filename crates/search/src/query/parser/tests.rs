//! How queries are understood, and what is refused where.

use proptest::prelude::*;

use super::*;

fn options() -> Options {
    Options { fields: vec!["price".to_owned(), "Brand".to_owned()], lower_case_operators: false }
}

/// A query as nested lists, so that a test shows how it was understood.
fn shape(query: &Query) -> String {
    let list = |name: &str, parts: &[Query]| {
        format!("({name} {})", parts.iter().map(shape).collect::<Vec<_>>().join(" "))
    };
    match &query.node {
        Node::And(parts) => list("and", parts),
        Node::Or(parts) => list("or", parts),
        Node::Xor(parts) => list("xor", parts),
        Node::Not(inner) => format!("(not {})", shape(inner)),
        Node::Near { left, right, distance } => {
            format!("(near{distance} {} {})", shape(left), shape(right))
        }
        Node::Loose(parts) => {
            let sign = |demand: &Demand| match demand {
                Demand::May => "",
                Demand::Must => "+",
                Demand::MustNot => "-",
            };
            let parts: Vec<String> =
                parts.iter().map(|(demand, part)| format!("{}{}", sign(demand), shape(part))).collect();
            format!("(any {})", parts.join(" "))
        }
        _ => query.to_string(),
    }
}

fn check(text: &str, expected: &str) {
    let query = parse(text, &options()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(shape(&query), expected, "{text:?}");
}

fn refused(text: &str, position: usize, part: &str) {
    let error = parse(text, &options()).expect_err(text);
    assert_eq!(error.position, position, "{text:?}: {error}");
    assert!(error.message.contains(part), "{text:?}: {error}");
}

#[test]
fn operators_bind_not_before_near_before_and_before_xor_before_or() {
    check("a AND b OR c", "(or (and a b) c)");
    check("a OR b AND c", "(or a (and b c))");
    check("a XOR b AND c", "(xor a (and b c))");
    check("a XOR b OR c XOR d", "(or (xor a b) (xor c d))");
    check("a AND b NEAR c", "(and a (near10 b c))");
    check("NOT a AND b", "(and (not a) b)");
    check("NOT (a NEAR/3 b) XOR NOT c", "(xor (not (near3 a b)) (not c))");
}

#[test]
fn equal_operators_join_from_the_left() {
    check("a AND b AND c", "(and a b c)");
    check("a NEAR b NEAR/2 c", "(near2 (near10 a b) c)");
    check("(a XOR b) XOR c", "(xor (xor a b) c)");
}

#[test]
fn words_side_by_side_bind_weakest() {
    check("a b", "(any a b)");
    check("a b AND c", "(any a (and b c))");
    check("a b OR c", "(any a (or b c))");
    check("(a b) AND c", "(and (any a b) c)");
    check("single", "single");
    check("  ", "");
}

#[test]
fn signs_demand_and_forbid() {
    check("+a -b c", "(any +a -b c)");
    check("-site:x.org rust", "(any -site:x.org rust)");
    check("-(a b) c", "(any -(any a b) c)");
    check("+\"a b\" c", "(any +\"a b\" c)");
    check("-a", "(any -a)");
    check("-a AND b", "(and (not a) b)");
    check("a AND -b", "(and a (not b))");
    check("well-known c++ - x", "(any well-known c++ - x)");
    check("a -b OR c", "(any a (or (not b) c))");
}

#[test]
fn fields_filters_and_ranges() {
    check("title:rust", "title:rust");
    check("brand:\"old tent\"", "Brand:\"old tent\"");
    check("title:(a OR b)", "(or title:a title:b)");
    check("price:10..50 price:..5 price:7..", "(any price:10..50 price:..5 price:7..)");
    check("price:>10 price:<=5", "(any price:>10 price:..5)");
    check("site:example.org filetype:pdf lang:de", "(any site:example.org filetype:pdf lang:de)");
    check("before:2026-01-31 after:2025", "(any before:2026-01-31 after:2025)");
    check("10:30 re:start http://x.org/", "(any 10:30 re:start http://x.org/)");
    check("10: a http: b", "(any 10: a http: b)");
}

#[test]
fn words_may_be_prefixes_or_near_misses() {
    check("jav* pyhton~ colour~2", "(any jav* pyhton~ colour~2)");
    let form = |text: &str| match parse(text, &options()).expect(text).node {
        Node::Word { form, .. } => form,
        other => panic!("{other:?}"),
    };
    assert_eq!(form("jav*"), Form::Prefix);
    assert_eq!(form("pyhton~"), Form::Fuzzy(None));
    assert_eq!(form("colour~2"), Form::Fuzzy(Some(2)));
    assert_eq!(form("~"), Form::Exact);
    check("*", "");
    check("/~user/x a~b what? why*? 2*3 /a?b=c", "(any /~user/x a~b what? why*? 2*3 /a?b=c)");
    check("a NEAR/99999999999 b", "(near4294967295 a b)");
}

#[test]
fn an_open_quote_ends_with_the_text() {
    check("\"a b", "\"a b\"");
    check("“a b” c", "(any \"a b\" c)");
}

#[test]
fn small_operators_are_words_unless_wanted() {
    check("cats and dogs", "(any cats and dogs)");
    let options = Options { lower_case_operators: true, ..options() };
    assert_eq!(shape(&parse("cats and dogs", &options).expect("a query")), "(and cats dogs)");
}

#[test]
fn what_cannot_be_understood_is_pointed_at() {
    refused("a OR", 2, "OR needs something after it");
    refused("AND b", 0, "needs something before it");
    refused("(a b", 0, "never closed");
    refused("a b)", 3, "closes nothing");
    refused(")", 0, "closes nothing");
    refused("a ()", 3, "nothing inside");
    refused("NOT", 0, "NOT needs something");
    refused("a OR OR b", 5, "needs something before it");
    refused("a NEAR (b AND c)", 2, "NEAR needs");
    refused("NOT a NEAR b", 6, "NEAR needs");
    refused("site:(a b)", 5, "site: needs a value");
    refused("é (", 3, "missing at the end");
    refused("tent~3", 4, "tent~2");
    refused("a title:zelt~12", 12, "zelt~2");
    refused("te?t", 2, "te*");
    refused("a t*nt", 3, "te*");
    refused("*tent", 0, "te*");
    refused("a *", 2, "everything");
    refused("title:*", 6, "beginning of a word");
    refused("title:", 0, "title:word");
    refused("a price: 10", 2, "price:word");
    refused("(a title:)", 3, "title:word");
    refused("before: 2025", 0, "before:2026-01-31");
    refused(&"(".repeat(100), 64, "levels");
    refused(&"a".repeat(5_000), 4_096, "at most 4096");
}

#[test]
fn parts_know_their_characters() {
    let query = parse("é title:\"b c\" -d", &options()).expect("a query");
    let Node::Loose(parts) = &query.node else { panic!("{query:?}") };
    let spans: Vec<_> = parts.iter().map(|(_, part)| part.span.clone()).collect();
    assert_eq!(spans, [0..1, 2..13, 14..16]);
    assert_eq!(query.span, 0..16);
}

fn word() -> impl Strategy<Value = Query> {
    let field = proptest::option::of(prop_oneof![Just("title".to_owned()), Just("price".to_owned())]);
    let form = prop_oneof![
        Just(Form::Exact),
        Just(Form::Prefix),
        Just(Form::Fuzzy(None)),
        Just(Form::Fuzzy(Some(1)))
    ];
    let word =
        (field.clone(), "[a-zé]{1,6}", form).prop_map(|(field, text, form)| Node::Word { field, text, form });
    let phrase =
        (field, "[a-z]{1,3}( [a-z]{1,3}){0,2}").prop_map(|(field, text)| Node::Phrase { field, text });
    let span = ("[0-9]{1,3}", "[0-9]{1,3}", 0..5).prop_map(|(from, to, kind)| Node::Span {
        field: "price".into(),
        from: (kind != 1 && kind != 4).then_some(from),
        to: (kind != 2 && kind != 3).then_some(to),
        open: kind > 2,
    });
    let filter = "[a-z]{1,5}(\\.[a-z]{2})?".prop_map(|value| Node::Filter { filter: Filter::Site, value });
    prop_oneof![4 => word, 2 => phrase, 1 => span, 1 => filter].prop_map(|node| Query { node, span: 0..0 })
}

fn near_side() -> impl Strategy<Value = Query> {
    "[a-z]{1,6}"
        .prop_map(|text| Query { node: Node::Word { field: None, text, form: Form::Exact }, span: 0..0 })
}

fn query() -> impl Strategy<Value = Query> {
    word().prop_recursive(4, 24, 4, |inner| {
        let some = proptest::collection::vec(inner.clone(), 2..4);
        let demand = prop_oneof![Just(Demand::May), Just(Demand::Must), Just(Demand::MustNot)];
        let loose = proptest::collection::vec((demand, inner.clone()), 2..4).prop_map(Node::Loose);
        let near = (near_side(), near_side(), 1u32..20).prop_map(|(left, right, distance)| Node::Near {
            left: Box::new(left),
            right: Box::new(right),
            distance,
        });
        let not = inner.prop_map(|inner| Node::Not(Box::new(inner)));
        prop_oneof![
            some.clone().prop_map(Node::And),
            some.clone().prop_map(Node::Or),
            some.prop_map(Node::Xor),
            loose,
            near,
            not
        ]
        .prop_map(|node| Query { node, span: 0..0 })
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(query in query()) {
        let text = query.to_string();
        let back = parse(&text, &options());
        prop_assert_eq!(back.as_ref().map(shape), Ok(shape(&query)), "{}", text);
        prop_assert_eq!(back, Ok(query));
    }

    #[test]
    fn any_text_gives_a_query_or_a_place_in_the_text(text in "\\PC{0,60}") {
        match parse(&text, &options()) {
            Ok(query) => prop_assert!(query.span.end <= text.chars().count()),
            Err(error) => prop_assert!(error.position <= text.chars().count()),
        }
    }

    #[test]
    fn any_heap_of_tokens_gives_a_query_or_a_place(
        parts in proptest::collection::vec(prop_oneof![
            Just("("), Just(")"), Just("AND"), Just("OR"), Just("NOT"), Just("XOR"), Just("NEAR/2"), Just("+"), Just("-"),
            Just("\""), Just("title:"), Just("site:"), Just("a"), Just("b*"), Just("c~"), Just("price:1..2"), Just(" "),
        ], 0..14)
    ) {
        let text = parts.join(" ");
        let glued = parts.concat();
        for text in [text, glued] {
            if let Err(error) = parse(&text, &options()) {
                prop_assert!(error.position <= text.chars().count());
            }
        }
    }
}
