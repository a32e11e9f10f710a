//! Guards in words: which number went over which limit, and the setting to change.

use frontier::Counted;
use model::{CrawlSettings, Guard, PageUrl};

/// Why a guard refuses a URL for what it looks like.
pub(crate) fn url_words(guard: Guard, url: &PageUrl, settings: &CrawlSettings) -> String {
    let segments = || url.path().split('/').filter(|segment| !segment.is_empty());
    let (count, unit, limit) = match guard {
        Guard::Length => (url.as_str().len(), "bytes", settings.max_url_length),
        Guard::Segments => (segments().count(), "path segments", settings.max_segments),
        Guard::Repeats => {
            let most = segments().map(|one| segments().filter(|other| *other == one).count()).max();
            (most.unwrap_or(1) - 1, "repeats of a path segment", settings.max_repeats)
        }
        Guard::Parameters => {
            let pairs = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
            (pairs.count(), "parameters", settings.max_parameters)
        }
        learned => return format!("trap: {learned}"),
    };
    format!("trap: {guard}: {count} {unit}, {}", at_most(guard, u64::from(limit)))
}

/// Why a guard refused a URL for what others like it have brought.
pub(crate) fn counted_words(guard: Guard, counted: &Counted, settings: &CrawlSettings) -> String {
    let Counted { template, combinations, pages, news, met, invited_depth, host_news, host_stale } = counted;
    let (reason, limit) = match guard {
        Guard::Combinations => (
            format!("{combinations} combinations of parameters are known there"),
            u64::from(settings.max_combinations),
        ),
        Guard::Template => (
            format!("of {met} URLs like {template}, {pages} were fetched and {news} had new text"),
            settings.max_stale_per_template,
        ),
        Guard::TemplatePages => {
            (format!("{pages} pages like {template} were fetched"), settings.max_pages_per_template)
        }
        Guard::StaleHost => (
            format!("{host_stale} pages of its host had no new text, {host_news} had"),
            settings.max_stale_per_host,
        ),
        Guard::Chain => (
            format!(
                "{pages} pages like {template} were fetched, and beyond depth {invited_depth} only pages like it \
                 lead to it"
            ),
            u64::from(settings.max_chain),
        ),
        // Another version of the settings refused it.
        Guard::Length | Guard::Segments | Guard::Repeats | Guard::Parameters => {
            return format!("trap: {guard}, by the settings of that time");
        }
    };
    format!("trap: {guard}: {reason}; {}", at_most(guard, limit))
}

fn at_most(guard: Guard, limit: u64) -> String {
    let setting = guard.setting();
    match guard {
        Guard::Template | Guard::StaleHost => format!(
            "{setting} allows {limit} without new text and four more for each page with it (raise it to go on, 0 \
             switches it off)"
        ),
        Guard::Chain => {
            format!("{setting} allows {limit} more in a row (raise it to go on, 0 switches it off)")
        }
        _ => format!("{setting} allows {limit} (raise it to go on, 0 switches it off)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_guard_has_learned_is_told_with_its_numbers() {
        let counted = Counted {
            template: "/calendar/*".into(),
            combinations: 100,
            pages: 47,
            news: 2,
            met: 900,
            invited_depth: 3,
            host_news: 9,
            host_stale: 45,
        };
        let settings = CrawlSettings::default();
        let told = counted_words(Guard::Template, &counted, &settings);
        assert_eq!(
            told,
            "trap: pages of its kind only lead to each other and bring nothing new: of 900 URLs like \
             /calendar/*, 47 were fetched and 2 had new text; max_stale_per_template allows 40 without new \
             text and four more for each page with it (raise it to go on, 0 switches it off)"
        );
        for guard in [Guard::Combinations, Guard::TemplatePages, Guard::StaleHost, Guard::Chain] {
            let told = counted_words(guard, &counted, &settings);
            assert!(told.contains(guard.setting()) && told.contains("0 switches it off"), "{told}");
        }
    }
}
