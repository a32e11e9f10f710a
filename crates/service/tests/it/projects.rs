//! Projects: made, looked at, changed by two editors, renamed, deleted; as YAML and as JSON.

use proptest::prelude::*;
use serde_json::{Value, json};
use service::{
    ProjectText, ServiceError, check_project, create_project, delete_project, project_cards, project_view,
    update_project,
};
use tempfile::TempDir;

use crate::served::{Served, blocking, ended, now, open, start};
use crate::site::NOW;

fn text(name: &str, max_pages: u64) -> ProjectText {
    ProjectText::Json(json!({
        "project": name, "start": ["http://shop.test/"], "crawl": { "max_pages": max_pages }
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_of_two_editors_is_told() {
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    blocking(&data, |data| {
        let made = create_project(data, &text("shop", 5), NOW).unwrap();
        assert_eq!((made.project["crawl"]["max_pages"].as_u64(), made.last_run), (Some(5), None));
        assert!(matches!(create_project(data, &text("shop", 6), NOW), Err(ServiceError::ProjectExists(_))));
        let name = "shop".parse().unwrap();
        let first = update_project(data, &name, &text("shop", 7), Some(&made.version), NOW).unwrap();
        assert_ne!(first.version, made.version);
        let second = update_project(data, &name, &text("shop", 8), Some(&made.version), NOW);
        let Err(ServiceError::Stale { version, .. }) = second else { panic!("{second:?}") };
        assert_eq!(version, first.version);
        let bad = ProjectText::Yaml("version: 1\nproject: shop\nstart: []\n".to_owned());
        let Err(ServiceError::BadProject(mistakes)) = update_project(data, &name, &bad, None, NOW) else {
            panic!()
        };
        assert_eq!(mistakes[0].line, 3);

        create_project(data, &text("blog", 1), NOW).unwrap();
        let taken = update_project(data, &name, &text("blog", 1), None, NOW);
        assert!(matches!(taken, Err(ServiceError::ProjectExists(_))));
        update_project(data, &name, &text("store", 7), Some(&first.version), NOW).unwrap();
        assert!(matches!(project_view(data, &name), Err(ServiceError::UnknownProject { .. })));
        let cards = project_cards(data).unwrap();
        assert_eq!(cards.iter().map(|card| card.name.as_str()).collect::<Vec<_>>(), ["blog", "store"]);
        assert_eq!(cards[0].attention[0].text, "No run yet.");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_project_leaves_nothing_behind() {
    let site = Served::wide(5).await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let mut project = site.project("shop", "/start", |_| ());
    project.index = Some(json!({}));
    let kept = site.project("kept", "/kept/start", |_| ());
    for project in [project, kept] {
        let run = start(&data, project).await.unwrap();
        ended(&data, run.id).await;
    }
    let name = "shop".parse().unwrap();
    let view = blocking(&data, move |data| project_view(data, &"shop".parse().unwrap()).unwrap()).await;
    assert_eq!(view.summary.unwrap().pages_fetched, 6);
    let stale = delete_project(&data, &name, Some("0"), false, now()()).await;
    assert!(matches!(stale, Err(ServiceError::Stale { .. })));
    let stored = |data: &service::Data| {
        use kv::Reader;
        data.store().iter(&frontier::tables::URLS).keys().filter(|key| key.as_ref().unwrap().0 == 1).count()
    };
    assert!(blocking(&data, stored).await > 0);
    delete_project(&data, &name, Some(&view.version), false, now()()).await.unwrap();
    assert_eq!(blocking(&data, stored).await, 0);
    assert!(!dir.path().join("archive/00001").exists());
    assert!(!dir.path().join("index/shop").exists());
    assert!(data.catalog().indexes().await.unwrap().is_empty());
    let cards = blocking(&data, |data| project_cards(data).unwrap()).await;
    assert_eq!(cards.iter().map(|card| card.name.as_str()).collect::<Vec<_>>(), ["kept"]);

    delete_project(&data, &"kept".parse().unwrap(), None, true, now()()).await.unwrap();
    assert!(dir.path().join("archive/00002").is_dir(), "its archive was to be kept");
}

/// Values of all kinds that settings have.
fn settings() -> impl Strategy<Value = Value> {
    let text = "[ -~äß漢'\"#:{}\\[\\]&*!|>%@`-]{0,12}";
    let patterns = prop::collection::vec("/[a-z0-9*:#'\" -]{0,8}", 0..4);
    (0..5u64, any::<bool>(), patterns, text, prop::option::of(1..90u32), 0..100_000u64).prop_map(
        |(depth, switch, exclude, agent, rate, millis)| {
            let mut crawl = json!({
                "max_depth": depth, "drop_query": switch, "exclude": exclude,
                "delay": format!("{millis}ms"), "headers": { "x-note": format!("a{agent}a") },
            });
            if let Some(rate) = rate {
                crawl["rate"] = json!(format!("{rate}/m"));
            }
            crawl
        },
    )
}

proptest! {
    /// What the form in the browser sends and what a file says are the same project.
    #[test]
    fn yaml_to_json_to_yaml_loses_nothing(crawl in settings(), css in "[a-z]{1,5}( > [a-z]{1,4})?", note in "[ -~]{0,8}") {
        let json = json!({
            "project": "shop", "start": ["http://shop.test/?q=%C3%A4"], "crawl": crawl,
            "fields": { "list": { "rows": css, "read": { "title": { "css": "h2", "kind": "text" }, "on": { "css": "a", "kind": "link" } } } },
            "index": { "fields": { format!("n{}", note.len()): { "weight": 2.5 } } },
        });
        let first = check_project(&ProjectText::Json(json));
        let Some(project) = first.project else {
            prop_assert!(!first.errors.is_empty());
            return Ok(());
        };
        let yaml = check_project(&ProjectText::Yaml(first.yaml));
        prop_assert_eq!(yaml.project.as_ref(), Some(&project));
        let again = check_project(&ProjectText::Json(project.clone()));
        prop_assert_eq!(again.project.as_ref(), Some(&project));
        let text = ProjectText::Json(project).yaml();
        prop_assert_eq!(&ProjectText::Yaml(text.clone()).read().unwrap().to_yaml(), &text);
    }

    #[test]
    fn any_text_is_a_project_or_has_a_mistake(text in "\\PC{0,200}", tail in "[a-z: \n\\[\\]{}-]{0,80}") {
        let head = "version: 1\nproject: shop\nstart: [http://shop.test/]\n";
        for yaml in [text.clone(), format!("{head}{tail}"), format!("{head}crawl: {text}")] {
            let checked = check_project(&ProjectText::Yaml(yaml));
            prop_assert_eq!(checked.project.is_none(), checked.errors.len() == 1);
        }
    }
}
