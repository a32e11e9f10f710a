//! The docs: a manual of eight sections with tables, code and previous / next links.

use super::layout::{Head, begin, breadcrumb, end};
use super::phrases::{DOC_SECTIONS, DOC_SENTENCES, sentences};
use super::site::{Site, slug};
use crate::chance::Chance;
use crate::page::{Anchor, Drawn, Page, escaped};

/// The page at a path below `/docs/`.
pub(crate) fn page(site: &Site, base: &str, path: &str) -> Option<Drawn> {
    let rest = path.strip_prefix("/docs/")?;
    if rest.is_empty() {
        return Some(contents(site, base));
    }
    let (segment, page) = rest.split_once('/')?;
    let section = DOC_SECTIONS.iter().position(|section| section.1 == segment)?;
    if page.is_empty() {
        return Some(section_page(site, base, section));
    }
    let place = DOC_SECTIONS[section].2.iter().position(|title| slug(title) == page)?;
    Some(topic(site, base, section, place))
}

fn path_of(section: usize, place: usize) -> String {
    let (_, segment, titles) = DOC_SECTIONS[section];
    format!("/docs/{segment}/{}", slug(titles[place]))
}

fn contents(site: &Site, base: &str) -> Drawn {
    let head = Head {
        title: "Trail computer manual",
        description: "Everything about the Halden trail computer.",
        canonical: "/docs/",
        class: "docs",
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n<h1>Trail computer manual</h1>\n<p class=\"lead\">Eight chapters on a small grey box that knows where you are. If you are new, begin with ");
    page.html("<b>");
    page.a(&path_of(0, 4), "your first recording");
    page.html("</b> and come back when it rains.</p>\n<div class=\"cards wide\">\n");
    for (title, segment, titles) in DOC_SECTIONS {
        page.html("<section class=\"card\">\n<h2>");
        page.a(&format!("/docs/{segment}/"), title);
        page.html(&format!(
            "</h2>\n<p>{}, {}, {} and more.</p>\n</section>\n",
            titles[0], titles[1], titles[2]
        ));
    }
    page.html("</div>\n</main>\n");
    end(site, page)
}

fn section_page(site: &Site, base: &str, section: usize) -> Drawn {
    let (title, segment, titles) = DOC_SECTIONS[section];
    let head = Head { title, canonical: &format!("/docs/{segment}/"), class: "docs", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap with-side\">\n");
    menu(&mut page, section, None);
    page.html("<article class=\"prose\">\n");
    breadcrumb(&mut page, &[("/", "Home"), ("/docs/", "Manual")], title);
    page.html(&format!("<h1>{title}</h1>\n"));
    paragraph(&mut page, site.chance.with("section").at(section as u64), 3);
    page.html("<ul>\n");
    for (place, title) in titles.iter().enumerate() {
        page.html("<li>");
        page.a(&path_of(section, place), title);
        page.html("</li>\n");
    }
    page.html("</ul>\n</article>\n</main>\n");
    end(site, page)
}

fn topic(site: &Site, base: &str, section: usize, place: usize) -> Drawn {
    let (section_title, segment, titles) = DOC_SECTIONS[section];
    let title = titles[place];
    let path = path_of(section, place);
    let chance = site.chance.with("topic").at((section * 8 + place) as u64);
    let head = Head { title, canonical: &path, class: "docs", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap with-side\">\n");
    menu(&mut page, section, Some(place));
    page.html("<article class=\"prose\">\n");
    let section_path = format!("/docs/{segment}/");
    breadcrumb(&mut page, &[("/", "Home"), ("/docs/", "Manual"), (&section_path, section_title)], title);
    page.html(&format!("<h1>{title}</h1>\n"));
    paragraph(&mut page, chance.with("intro"), 4);
    if section == 7 && place == 7 {
        releases(site, &mut page);
    }
    page.html("<h2 id=\"how\">How it works</h2>\n");
    paragraph(&mut page, chance.with("how"), 5);
    see_also(&mut page, chance, section, place);
    page.html("<h2 id=\"settings\">Settings</h2>\n");
    table(&mut page, chance.with("table"), title);
    page.html("<h2 id=\"example\">Example</h2>\n");
    code(&mut page, chance.with("code"), title);
    paragraph(&mut page, chance.with("after"), 3);
    if chance.with("steps").percent(50) {
        page.html("<h3>Step by step</h3>\n<ol>\n");
        for step in sentences(chance.with("steps"), &DOC_SENTENCES, 4) {
            page.html("<li>");
            page.text(&step);
            page.html("</li>\n");
        }
        page.html("</ol>\n");
    }
    page.html("<nav class=\"pager\" aria-label=\"Neighbours\">\n");
    let number = section * 8 + place;
    let before = number.checked_sub(1);
    let after = (number + 1 < 64).then_some(number + 1);
    for (other, rel, word) in [(before, "prev", "Previous:"), (after, "next", "Next:")] {
        if let Some(other) = other {
            let name = DOC_SECTIONS[other / 8].2[other % 8];
            page.link(&Anchor::new(&path_of(other / 8, other % 8), &format!("{word} {name}")).rel(rel));
            page.html("\n");
        }
    }
    page.html("</nav>\n</article>\n</main>\n");
    end(site, page)
}

fn menu(page: &mut Page<'_>, section: usize, here: Option<usize>) {
    page.html("<aside class=\"side\">\n<h2>Manual</h2>\n<ul class=\"tree\">\n");
    for (other, (title, segment, titles)) in DOC_SECTIONS.iter().enumerate() {
        page.html("<li>");
        page.a(&format!("/docs/{segment}/"), title);
        if other == section {
            page.html("\n<ul>\n");
            for (place, title) in titles.iter().enumerate() {
                if here == Some(place) {
                    page.html(&format!("<li class=\"here\">{title}</li>\n"));
                } else {
                    page.html("<li>");
                    page.a(&path_of(section, place), title);
                    page.html("</li>\n");
                }
            }
            page.html("</ul>\n");
        }
        page.html("</li>\n");
    }
    page.html("</ul>\n</aside>\n");
}

fn paragraph(page: &mut Page<'_>, chance: Chance, count: usize) {
    page.html("<p>");
    page.text(&sentences(chance, &DOC_SENTENCES, count).join(" "));
    page.html("</p>\n");
}

/// Cross references, written in the ways that people write links.
fn see_also(page: &mut Page<'_>, chance: Chance, section: usize, place: usize) {
    let other = (section * 8 + place + 1 + chance.with("see").below(60) as usize) % 64;
    let target = path_of(other / 8, other % 8);
    let name = escaped(DOC_SECTIONS[other / 8].2[other % 8]);
    page.html("<p class=\"hint\">See also ");
    let relative = format!("../{}", target.trim_start_matches("/docs/"));
    let fragment = format!("{target}#settings");
    match (section * 8 + place) % 5 {
        0 => page.link(&Anchor::new(&target, &name).written(&relative)),
        1 => page.link(&Anchor::new(&target, &name).written(&fragment)),
        2 => {
            let written = format!("{}{target}", page.base().to_uppercase());
            page.link(&Anchor::new(&target, &name).written(&written));
        }
        3 => {
            page.html("<i>");
            page.link(&Anchor::new(&target, &format!("<b>{name}</b>")));
            page.html("</i>");
        }
        _ => {
            // A page that was never written.
            let missing = format!("/docs/{}/appendix", DOC_SECTIONS[section].1);
            page.a(&missing, "the appendix");
            page.html(" and ");
            page.link(&Anchor::new(&target, &name));
        }
    }
    page.html(".</p>\n");
}

fn table(page: &mut Page<'_>, chance: Chance, title: &str) {
    page.html("<table>\n<thead>\n<tr><th>Key</th> <th>Default</th> <th>Range</th> <th>Meaning</th></tr>\n</thead>\n<tbody>\n");
    let prefix = slug(title).replace('-', "_");
    for (number, meaning) in sentences(chance, &DOC_SENTENCES, 4).into_iter().enumerate() {
        let here = chance.at(number as u64);
        let key = ["interval", "limit", "mode", "quiet"][number];
        let top = 10 + here.with("top").below(500);
        page.html(&format!(
            "<tr><td><code>{prefix}.{key}</code></td> <td>{}</td> <td>0 to {top}</td> <td>",
            here.with("default").below(top)
        ));
        page.text(&meaning);
        page.html("</td></tr>\n");
    }
    page.html("</tbody>\n</table>\n");
}

fn code(page: &mut Page<'_>, chance: Chance, title: &str) {
    let name = slug(title);
    let number = 1 + chance.below(90);
    let text = match chance.with("language").below(3) {
        0 => format!(
            "$ halden show {name} --last {number}\n{name}: ok, {number} entries\n$ halden set {name}.limit {}\n",
            number * 2
        ),
        1 => format!("[{name}]\nlimit = {number}\nquiet = true\n# more than {number} is refused\n"),
        _ => format!(
            "on {name} do\n  if value > {number} && not quiet then\n    show \"<{name}>\"\n  end\nend\n"
        ),
    };
    page.html("<pre><code>");
    page.text(&text);
    page.html("</code></pre>\n");
}

/// The one page of the manual that grows with the epochs.
fn releases(site: &Site, page: &mut Page<'_>) {
    page.html("<h2>Releases</h2>\n<ul>\n");
    for number in (site.epoch.saturating_sub(9)..=site.epoch).rev() {
        let day = crate::dates::Day(site.today.0 - (site.epoch - number) as i64);
        page.html(&format!(
            "<li>Firmware 4.{number}, <time datetime=\"{}\">{}</time></li>\n",
            day.iso(),
            day.long()
        ));
    }
    page.html("</ul>\n");
}
