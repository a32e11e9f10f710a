//! Words beside a date that say what it is the date of.

use std::sync::LazyLock;

use crate::hints::Fact;

/// Bytes before a date in which its label is sought.
const LABEL: usize = 48;

/// Words by their first byte: a text is compared with few of them at each place.
struct ByFirst([Vec<(&'static [u8], Fact)>; 256]);

impl ByFirst {
    fn new(lists: &[(&'static [&'static str], Fact)]) -> ByFirst {
        let mut by_first = [const { Vec::new() }; 256];
        for (words, fact) in lists {
            for word in words.iter().filter(|word| !word.is_empty()) {
                by_first[usize::from(word.as_bytes()[0])].push((word.as_bytes(), *fact));
            }
        }
        ByFirst(by_first)
    }

    /// The fact of the last word in a text; of those in one place that of the first list.
    fn last(&self, text: &str) -> Option<Fact> {
        let bytes = text.as_bytes();
        (0..bytes.len()).rev().find_map(|at| {
            let rest = &bytes[at..];
            self.0[usize::from(rest[0])]
                .iter()
                .find(|(word, _)| rest.starts_with(word))
                .map(|(_, fact)| *fact)
        })
    }
}

static LABELS: LazyLock<ByFirst> =
    LazyLock::new(|| ByFirst::new(&[(MODIFIED_WORDS, Fact::Modified), (PUBLISHED_WORDS, Fact::Published)]));
static PEOPLE: LazyLock<ByFirst> = LazyLock::new(|| ByFirst::new(&[(OF_PEOPLE, Fact::Event)]));

/// Which date the words before it speak of; the last label counts.
pub(crate) fn label(words: &str) -> Option<Fact> {
    if words.is_empty() {
        return None;
    }
    LABELS.last(&words[words.ceil_char_boundary(words.len().saturating_sub(LABEL))..].to_lowercase())
}

/// Where the label follows its date.
pub(crate) fn label_after(words: &str) -> Option<Fact> {
    let words = words.trim_start();
    let begins = |list: &[&str]| list.iter().any(|word| words.starts_with(word));
    if begins(&["更新", "修正", "수정", "tarihinde güncellendi", "aktualisiert", "geändert"]) {
        Some(Fact::Modified)
    } else {
        let published =
            ["公開", "发布", "發布", "投稿", "掲載", "게시", "등록", "작성", "veröffentlicht", "publiziert"];
        begins(&published).then_some(Fact::Published)
    }
}

/// What a term says of the date that it stands before: there a word suffices.
pub(crate) fn term(words: &str) -> Option<Fact> {
    const DATE: &[&str] =
        &["date", "datum", "data", "fecha", "dato", "tarih", "дата", "dátum", "日付", "날짜"];
    label(words).or_else(|| {
        let plain = words.trim().trim_end_matches([':', '：']).to_lowercase();
        DATE.contains(&plain.trim_end()).then_some(Fact::Published)
    })
}

/// Whether the words before a date speak of the page itself: "This entry was posted on".
pub(crate) fn of_entry(words: &str) -> bool {
    const ENTRIES: &[&str] =
        &["entry was", "post was", "article was", "artikel wurde", "beitrag wurde", "eintrag wurde"];
    let lower = words.to_ascii_lowercase();
    ENTRIES.iter().any(|words| lower.contains(words)) && label(words) == Some(Fact::Published)
}

/// Whether a word before a date says that something begins or ends then: "until 3 May 2026".
pub(crate) fn ends_span(words: &str) -> bool {
    const EDGES: &[&str] = &[
        "ab",
        "bis",
        "until",
        "till",
        "since",
        "seit",
        "due",
        "before",
        "after",
        "expires",
        "through",
        "hasta",
        "desde",
        "jusqu'au",
        "jusqu’au",
        "deadline",
        "starts",
        "ends",
        "begins",
        "do",
    ];
    let last = words.trim_end().trim_end_matches(':').rsplit(char::is_whitespace).next().unwrap_or_default();
    last.len() <= 12 && EDGES.iter().any(|edge| last.eq_ignore_ascii_case(edge)) || is_as_of(words)
}

/// Whether a date is that of a fact which the text gives: "As of 3 May 2026".
fn is_as_of(words: &str) -> bool {
    let words = words.trim_end().as_bytes();
    words.len().checked_sub(5).is_some_and(|from| words[from..].eq_ignore_ascii_case(b"as of"))
}

/// Whether a date is that of a user's account.
pub(crate) fn of_people(words: &str) -> bool {
    !words.is_empty() && PEOPLE.last(&words.to_lowercase()).is_some()
}

/// Labels of dates that are not the page's: of people, of what the page is about, of sources, of threads that it
/// lists.
const OF_PEOPLE: &[&str] = &[
    "joined",
    "join date",
    "member since",
    "registered",
    "registriert seit",
    "inscrit le",
    "born ",
    "geboren",
    "né le",
    "née le",
    "died",
    "gestorben",
    "when:",
    "wann:",
    "quand :",
    "quand:",
    "deadline",
    "due date",
    "event date",
    "received",
    "accepted",
    "expires",
    "expiry",
    "valid until",
    "retrieved",
    "accessed",
    "archived",
    "abgerufen",
    "archiviert",
    "consulté",
    "consultado",
    "consultato",
    "geraadpleegd",
    "dostęp",
    "дата обращения",
    "閲覧",
    "查阅",
    "查閱",
    "last post",
    "last reply",
    "letzter beitrag",
    "letzte antwort",
    "dernier message",
    "último mensaje",
    "ultimo messaggio",
    "ostatni post",
    "последнее сообщение",
    "最后发表",
    "最後發表",
    "最后回复",
    "最後回覆",
];

/// In many languages; parts of words, as endings differ.
const PUBLISHED_WORDS: &[&str] = &[
    "publi",
    "posted",
    "written on",
    "first appeared",
    "veröffentlicht",
    "erschienen",
    "erstellt",
    "paru le",
    "mis en ligne",
    "pubblicat",
    "gepubliceerd",
    "geplaatst",
    "opublikowan",
    "dodano",
    "опубликован",
    "дата публикации",
    "zveřejn",
    "vydáno",
    "publicer",
    "julkaist",
    "yayın",
    "δημοσι",
    "公開",
    "投稿",
    "掲載",
    "发布",
    "發布",
    "发表",
    "게시",
    "작성",
    "등록",
    "입력",
    "نشر",
    "közzét",
    "megjelen",
    "released",
    "created",
    "issued",
    "asked",
    "started",
    "joined the discussion",
    "data de pub",
    "प्रकाशित",
    "פורסם",
    "опубліковано",
    "публикувано",
    "đăng",
    "diterbitkan",
    "objavljen",
    "objavené",
    "udgivet",
    "oprettet",
    "publisert",
    "เผยแพร่",
    "verfasst",
    "geschrieben am",
    "eingestellt am",
    "online seit",
    "artikel wurde",
    "beitrag wurde",
    "eintrag wurde",
    "this post was",
    "this article was",
    "artikel vom",
    "beitrag vom",
    "eintrag vom",
    "meldung vom",
    "mitteilung vom",
    "ajouté le",
    "rédigé le",
    "escrito el",
    "inserito il",
    "criado em",
    "submitted on",
    "added on",
    "uploaded on",
    "entry was posted",
    "日期",
    "时间",
    "發佈",
    "發表",
    "配信",
    "発表日",
    "登録日",
    "발행",
    "تاريخ النشر",
    "انتشار",
    "дата создания",
    "добавлено",
    "размещено",
    "публікац",
    "публикац",
    "dodane",
    "data publikacji",
    "vloženo",
    "přidáno",
    "pridané",
    "lagt ut",
    "postat",
    "skrevet",
    "lisätty",
    "eklenme",
    "paylaşıl",
    "paskelbta",
    "ievietots",
    "avaldatud",
    "scris de",
    "dipublikasikan",
    "tayang",
    "diterbit",
    "postado",
    "colgado el",
    "subido el",
    "diffusé le",
    "posté le",
];
const MODIFIED_WORDS: &[&str] = &[
    "updated",
    "modified",
    "revised",
    "last edited",
    "edited on",
    "last change",
    "reviewed",
    "last reviewed",
    "aktualisier",
    "geändert",
    "bearbeitet",
    "letzte bearbeitung",
    "stand:",
    "letzte änderung",
    "mis à jour",
    "mise à jour",
    "modifié",
    "actualizad",
    "actualización",
    "modificad",
    "última revisión",
    "aggiorna",
    "modificat",
    "atualizad",
    "bijgewerkt",
    "gewijzigd",
    "zaktualizowan",
    "aktualizac",
    "ostatnia zmiana",
    "обновлен",
    "изменен",
    "upraveno",
    "poslední změna",
    "uppdatera",
    "senast ändrad",
    "opdateret",
    "oppdatert",
    "päivitetty",
    "güncelle",
    "ενημερ",
    "τελευταία",
    "最終更新",
    "更新",
    "修改",
    "수정",
    "업데이트",
    "تحديث",
    "تعديل",
    "frissít",
    "módosít",
    "last update",
    "ultima modifica",
    "atualização",
    "laatste wijziging",
    "оновлено",
    "последнее изменение",
    "अपडेट",
    "עודכן",
    "cập nhật",
    "diperbarui",
    "ažurirano",
    "posodobljen",
    "แก้ไข",
    "อัปเดต",
    "dernière modification",
    "laatste update",
    "update:",
    "modificac",
    "ultimo aggiornamento",
    "letzte aktualisierung",
    "letztes update",
    "bewerkt",
    "endret",
    "ændret",
    "redigert",
    "muokattu",
    "atnaujint",
    "atjaun",
    "uuendatud",
    "muudetud",
    "actualiz",
    "актуализ",
    "последна промяна",
    "відредаг",
    "оновлен",
    "отредактиров",
    "diubah",
    "dikemaskini",
    "بروزرسانی",
    "به‌روزرسانی",
    "最后编辑",
    "最終編集",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_label_before_a_date_counts() {
        for (words, expected) in [
            ("Published on ", Some(Fact::Published)),
            ("Published then, updated ", Some(Fact::Modified)),
            ("Zuletzt aktualisiert am ", Some(Fact::Modified)),
            ("最終更新：", Some(Fact::Modified)),
            ("Berlin, ", None),
            ("", None),
        ] {
            assert_eq!(label(words), expected, "in {words:?}");
        }
    }
}
