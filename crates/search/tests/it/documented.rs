//! What docs/search.md shows can be written.

use search::IndexSettings;

#[test]
fn the_settings_shown_are_the_defaults_and_all_of_them() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/search.md");
    let text = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> =
        text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(IndexSettings::read(blocks[0]).unwrap(), IndexSettings::default());
    let more = IndexSettings::read(blocks[1]).unwrap();
    assert_eq!((more.fields.len(), more.ranking.rules.len()), (4, 3));
    // Every name that there is.
    let all = serde_json::to_value(IndexSettings::default()).unwrap();
    for part in [&all, &all["ranking"], &all["analysis"], &all["suggestions"]] {
        for name in part.as_object().unwrap().keys() {
            assert!(blocks[0].contains(&format!("{name}:")), "{name}");
        }
    }
}
