use crate::select::Selector;

fn told(xpath: &str) -> String {
    Selector::xpath(xpath).unwrap_err().to_string()
}

#[test]
fn mistakes_are_told_with_their_place() {
    let deep = "(".repeat(40) + "1" + &")".repeat(40);
    let table = [
        ("", "at character 1: an expression is missing"),
        ("//a[", "at character 5: a name, `*`, `.`, `@` or node() is missing here"),
        ("//a[@href", "at character 10: `]` is missing"),
        ("//a]", "at character 4: this `]` closes nothing"),
        ("é//a[@é='x]", "at character 9: the text that begins with ' has no end"),
        ("//a b", "at character 5: an operator is missing before `b`"),
        ("foo(1)", "at character 1: the function foo() is not known"),
        ("contains(.)", "at character 1: contains() takes 2 arguments, not 1"),
        ("count('a')", "at character 7: count() wants nodes here"),
        ("$x", "at character 1: variables are not known here; write the value itself"),
        (
            "//svg:a",
            "at character 3: the prefix svg is not known; elements of pages are found without prefix",
        ),
        ("parents::a", "at character 1: there is no axis parents"),
        ("1 | //a", "at character 1: `|` joins nodes only"),
        ("'a'[1]", "at character 1: `[` and `/` can follow nodes only"),
        ("//a#b", "at character 4: `#` means nothing here"),
        ("a/", "at character 3: a name, `*`, `.`, `@` or node() is missing here"),
        (&*deep, "at character 34: more than 32 brackets in each other"),
    ];
    let all = table.map(|(xpath, _)| (xpath, told(xpath)));
    assert_eq!(all, table.map(|(xpath, expected)| (xpath, expected.to_owned())));
}
