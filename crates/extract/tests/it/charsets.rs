//! Every encoding of the WHATWG encoding standard, by each of the ways to declare it, and by a guess.

use encoding_rs::Encoding;

use crate::read_bytes;

/// Names and a text that the encoding can say.
const ENCODINGS: &[(&str, &str)] = &[
    ("UTF-8", "Grüße, мир, 世界"),
    ("IBM866", "Привет, мир"),
    ("ISO-8859-2", "Příliš žluťoučký kůň"),
    ("ISO-8859-3", "Ġurnata sabiħa ħafna"),
    ("ISO-8859-4", "Šis ir teksts ar garumzīmēm āēķļ"),
    ("ISO-8859-5", "Привет, мир"),
    ("ISO-8859-6", "مرحبا بالعالم"),
    ("ISO-8859-7", "Καλημέρα κόσμε"),
    ("ISO-8859-8", "שלום עולם"),
    ("ISO-8859-8-I", "שלום עולם"),
    ("ISO-8859-10", "Sámegiella đŋŧž"),
    ("ISO-8859-13", "Ąžuolas ir ėglė"),
    ("ISO-8859-14", "Ŵythnos dda, ŷd"),
    ("ISO-8859-15", "Prix: 5 €, cœur"),
    ("ISO-8859-16", "Însoțește țara"),
    ("KOI8-R", "Привет, мир"),
    ("KOI8-U", "Привіт, світе, їжак"),
    ("macintosh", "Café déjà vu"),
    ("windows-874", "สวัสดีชาวโลก"),
    ("windows-1250", "Příliš žluťoučký kůň"),
    ("windows-1251", "Привет, мир"),
    ("windows-1252", "Café déjà vu – €"),
    ("windows-1253", "Καλημέρα κόσμε"),
    ("windows-1254", "Günaydın dünya, şğı"),
    ("windows-1255", "שלום עולם"),
    ("windows-1256", "مرحبا بالعالم"),
    ("windows-1257", "Ąžuolas ir ėglė"),
    ("windows-1258", "Đông ơ ă â"),
    ("x-mac-cyrillic", "Привет, мир"),
    ("GBK", "你好，世界"),
    ("gb18030", "你好，世界𠀀"),
    ("Big5", "你好，世界"),
    ("EUC-JP", "こんにちは世界"),
    ("ISO-2022-JP", "こんにちは世界"),
    ("Shift_JIS", "こんにちは世界"),
    ("EUC-KR", "안녕하세요 세계"),
    ("UTF-16BE", "Grüße, 世界"),
    ("UTF-16LE", "Grüße, 世界"),
    ("x-user-defined", "plain \u{f7a4}\u{f7ff}"),
];

/// The text in an encoding; characters that it has not would become references, so the round trip is checked.
fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let bytes = match encoding.name() {
        "UTF-16BE" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        "UTF-16LE" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        // These are for reading only.
        "x-user-defined" => {
            let byte = |c: char| if c.is_ascii() { c as u8 } else { (c as u32 - 0xF700) as u8 };
            text.chars().map(byte).collect()
        }
        _ => encoding.encode(text).0.into_owned(),
    };
    let (back, _) = encoding.decode_without_bom_handling(&bytes);
    assert_eq!(back, text, "{} cannot say this", encoding.name());
    bytes
}

fn check(body: &[u8], content_type: &str, encoding: &str, text: &str) {
    let page = read_bytes(body, &[("content-type", content_type)], 10);
    assert_eq!((page.charset.as_str(), page.text.as_str()), (encoding, text), "as {content_type}");
}

#[test]
fn every_encoding_is_read_as_the_header_declares_it() {
    for (name, text) in ENCODINGS {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        assert_eq!(encoding.name(), *name);
        let body = encoded(encoding, &format!("<p>{text}</p>"));
        check(&body, &format!("text/html; charset={name}"), name, text);
        check(&body, &format!("text/html; Charset=\"{}\"", name.to_lowercase()), name, text);
    }
}

#[test]
fn every_encoding_is_read_as_the_page_declares_it() {
    for (name, text) in ENCODINGS {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        for html in [
            format!("<meta charset=\"{name}\"><p>{text}</p>"),
            format!("<meta http-equiv=content-type content='text/html; charset={name}'><p>{text}</p>"),
        ] {
            match *name {
                // A declaration in ASCII is not in sixteen bits; user-defined means windows-1252.
                "UTF-16BE" | "UTF-16LE" => check(html.as_bytes(), "text/html", "UTF-8", text),
                "x-user-defined" => check(&encoded(encoding, &html), "text/html", "windows-1252", "plain ¤ÿ"),
                _ => check(&encoded(encoding, &html), "text/html", name, text),
            }
        }
    }
}

/// The standard's names; `replacement` stands for encodings that are not read, for fear of what they hide.
#[test]
fn no_encoding_is_missing() {
    let names: Vec<&str> = ENCODINGS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len() + 1, 40);
    let distinct: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    for label in ["replacement", "iso-2022-kr", "hz-gb-2312", "csiso2022kr", "iso-2022-cn", "iso-2022-cn-ext"]
    {
        for (body, kind) in [
            (b"<p>\x1b$)Cwords</p>".to_vec(), format!("text/html; charset={label}")),
            (format!("<meta charset={label}><p>words</p>").into_bytes(), "text/html".to_owned()),
        ] {
            check(&body, &kind, "replacement", "\u{fffd}");
        }
    }
}

#[test]
fn a_page_may_say_its_encoding_late() {
    let script = format!("<script>{}</script>", "x".repeat(4_000));
    let body = encoded(
        encoding_rs::ISO_8859_15,
        &format!("<head>{script}<meta charset=iso-8859-15></head><p>Prix: 5 €</p>"),
    );
    check(&body, "text/html", "ISO-8859-15", "Prix: 5 €");
}

#[test]
fn a_byte_that_went_wrong_does_not_change_the_encoding() {
    let body = [&b"<p>caf\xE9 "[..], "déjà vu, Grüße, où ça".as_bytes(), b"</p>"].concat();
    check(&body, "text/html", "UTF-8", "caf\u{fffd} déjà vu, Grüße, où ça");
}

#[test]
fn marks_tell_unicode_apart() {
    for (name, mark) in
        [("UTF-8", &b"\xEF\xBB\xBF"[..]), ("UTF-16BE", b"\xFE\xFF"), ("UTF-16LE", b"\xFF\xFE")]
    {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        let body = [mark, &encoded(encoding, "<p>Grüße, 世界</p>")].concat();
        check(&body, "text/html; charset=koi8-r", name, "Grüße, 世界");
    }
}

/// Where nothing is declared, a text of some length is enough for the encodings that are met without a label.
#[test]
fn undeclared_encodings_are_guessed() {
    let long = [
        (
            "windows-1251",
            "Сегодня утром в городе открылась новая библиотека, и сразу пришло много читателей.",
        ),
        (
            "windows-1252",
            "Le café est déjà fermé, mais la bibliothèque à côté est ouverte jusqu’à dix heures.",
        ),
        ("windows-1253", "Σήμερα το πρωί άνοιξε στην πόλη μια νέα βιβλιοθήκη και ήρθαν πολλοί αναγνώστες."),
        ("Shift_JIS", "今日の朝、町に新しい図書館が開きました。たくさんの人が本を読みに来ています。"),
        ("EUC-JP", "今日の朝、町に新しい図書館が開きました。たくさんの人が本を読みに来ています。"),
        ("EUC-KR", "오늘 아침 도시에 새로운 도서관이 문을 열었습니다. 많은 사람들이 책을 읽으러 왔습니다."),
        ("Big5", "今天早上城裡開了一間新的圖書館，很多人來看書，孩子們也很高興。"),
        ("GBK", "今天早上城里开了一家新的图书馆，很多人来看书，孩子们也很高兴。"),
        ("KOI8-U", "Сегодня утром в городе открылась новая библиотека, и сразу пришло много читателей."),
    ];
    for (name, text) in long {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        let body = encoded(encoding, &format!("<p>{text}</p>").repeat(3));
        let page = read_bytes(&body, &[("content-type", "text/html")], 10);
        assert!(page.text.starts_with(text), "{name} read as {}: {}", page.charset, page.text);
    }
}

#[test]
fn undeclared_encodings_that_look_like_ascii_are_known() {
    for name in ["UTF-16LE", "UTF-16BE", "ISO-2022-JP"] {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        let text = "今日の朝、町に新しい図書館が開きました。";
        let html = encoded(encoding, &format!("<html><title>{text}</title><p>{text}</p></html>"));
        for kind in ["text/html", ""] {
            let page = read_bytes(&html, &[("content-type", kind)], 10);
            assert_eq!(
                (page.charset.as_str(), page.title.as_str(), page.text.as_str()),
                (name, text, text),
                "as {kind:?}"
            );
        }
        let plain = encoded(encoding, "Library 図書館: open 10:00");
        assert_eq!(
            read_bytes(&plain, &[("content-type", "text/plain")], 10).text,
            "Library 図書館: open 10:00"
        );
        let feed =
            encoded(encoding, &format!("<rss><title>{text}</title><item><link>/a</link></item></rss>"));
        let page = read_bytes(&feed, &[("content-type", "text/xml")], 10);
        assert_eq!((page.title.as_str(), page.links.len()), (text, 1), "{name}");
    }
}

#[test]
fn xml_is_read_as_it_or_its_header_declares_it() {
    let body = b"<?xml version='1.0' encoding='ISO-8859-1'?><rss><channel><title>Caf\xe9</title><item><link>/a</link></item></channel></rss>";
    let page = read_bytes(body, &[("content-type", "text/xml")], 10);
    assert_eq!((page.title.as_str(), page.links.len(), page.charset.as_str()), ("Café", 1, "windows-1252"));
    let spaced = String::from_utf8_lossy(body).replace("encoding=", "encoding = ").replace('\u{fffd}', "é");
    let body = encoded(encoding_rs::WINDOWS_1252, &spaced);
    assert_eq!(read_bytes(&body, &[("content-type", "text/xml")], 10).title, "Café");
    let undeclared = "<a><b>Сегодня утром в городе открылась новая библиотека.</b></a>";
    let page =
        read_bytes(&encoded(encoding_rs::WINDOWS_1251, undeclared), &[("content-type", "text/xml")], 10);
    assert_eq!(
        (page.text.as_str(), page.charset.as_str()),
        ("Сегодня утром в городе открылась новая библиотека.", "windows-1251")
    );
    let body = encoded(encoding_rs::WINDOWS_1251, "<a><b>Привет, мир</b></a>");
    let page = read_bytes(&body, &[("content-type", "application/xml; charset=windows-1251")], 10);
    assert_eq!(page.text, "Привет, мир");
}
