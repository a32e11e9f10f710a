//! Opening a data directory: its version, its one owner, what is no data directory.

use std::fs;

use service::{Access, Class, Data};

use crate::site::Site;

fn refused(site: &mut Site, access: Access) -> (Class, String) {
    let error = site.open(access).unwrap_err();
    let dir = site.path().display().to_string();
    (error.class(), error.sentence().replace(&dir, "DIR"))
}

#[test]
fn a_wrong_version_is_refused_with_words() {
    let mut site = Site::empty();
    site.close();
    let version = site.path().join("VERSION");
    assert_eq!(fs::read_to_string(&version).unwrap(), "1\n");
    fs::write(&version, "2\n").unwrap();
    let newer = "DIR has format 2, this program reads format 1; a newer version of it wrote this: update it";
    assert_eq!(refused(&mut site, Access::Create), (Class::Request, newer.to_owned()));
    fs::write(&version, "0\n").unwrap();
    let older = "DIR has format 0, this program reads format 1; an older version of it wrote this";
    assert_eq!(refused(&mut site, Access::Existing), (Class::Request, older.to_owned()));
    fs::write(&version, [0xff, 0xfe]).unwrap();
    let unreadable = "DIR/VERSION cannot be read as a version number";
    assert_eq!(refused(&mut site, Access::Existing), (Class::Damaged, unreadable.to_owned()));
}

#[test]
fn a_directory_has_one_owner() {
    let mut site = Site::empty();
    let first = site.data.take();
    assert_eq!(
        refused(&mut site, Access::Existing),
        (Class::Busy, "DIR is in use by another process".to_owned())
    );
    drop(first);
    site.open(Access::Existing).unwrap();
}

#[test]
fn only_what_may_be_made_is_made() {
    let mut site = Site::empty();
    let refused_at = |site: &Site, name: &str, access| {
        let path = site.path().join(name);
        let opened = site.runtime.block_on(Data::open(&path, access));
        let error = opened.map(|_| ()).unwrap_err().sentence();
        error.replace(&path.display().to_string(), "DIR")
    };
    let none = "there is no data directory DIR; \"gannet crawl URL\" makes one";
    assert_eq!(refused_at(&site, "none", Access::Existing), none);
    assert!(!site.path().join("none").exists());
    fs::create_dir(site.path().join("other")).unwrap();
    fs::write(site.path().join("other/notes.txt"), "mine").unwrap();
    let other = "DIR is not a data directory: it has no VERSION file; name another or an empty one";
    assert_eq!(refused_at(&site, "other", Access::Create), other);
    fs::create_dir(site.path().join("begun")).unwrap();
    fs::write(site.path().join("begun/VERSION.new"), "").unwrap();
    site.runtime.block_on(Data::open(&site.path().join("begun"), Access::Create)).unwrap();
    site.close();
}
