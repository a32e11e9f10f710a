//! Whole pages, as people read them.

use std::fmt::Write as _;

use model::Page;

use crate::read;

fn draw(page: &Page) -> String {
    let mut out = String::new();
    writeln!(out, "title {:?}", page.title).unwrap();
    writeln!(out, "description {:?}", page.description).unwrap();
    writeln!(out, "language {:?} charset {}", page.language, page.charset).unwrap();
    writeln!(out, "canonical {:?} {:?}", page.canonical, page.directives).unwrap();
    for (name, value) in &page.meta {
        writeln!(out, "meta {name:?} {value:?}").unwrap();
    }
    for link in &page.links {
        let (look, rel) = (link.look, link.rel);
        write!(out, "{:?} {} {:?} ", link.kind, link.url, link.anchor).unwrap();
        write!(out, "{}{}{}", look.visibility, look.position, look.distance).unwrap();
        for (set, name) in [(rel.nofollow, "nofollow"), (rel.next, "next")] {
            if set {
                write!(out, " {name}").unwrap();
            }
        }
        out.push('\n');
    }
    writeln!(out, "---\n{}", page.text).unwrap();
    out
}

fn check(html: &str, expected: &str) {
    let drawn = draw(&read(html));
    assert!(drawn == expected, "is now\n{drawn}");
}

#[test]
fn a_shop_list_is_read() {
    check(include_str!("../../../html/tests/pages/shop.html"), include_str!("../pages/shop.txt"));
}

#[test]
fn an_old_blog_is_read() {
    check(include_str!("../../../html/tests/pages/blog.html"), include_str!("../pages/blog.txt"));
}
