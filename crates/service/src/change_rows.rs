//! What is told of changes and versions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Moment;
use crate::change_steps::ChangeStep;
use crate::changed_images::ChangedImage;

/// A line of the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum ChangesRow {
    /// A page that has changed.
    Change(Box<PageChange>),
    /// A page that is gone.
    Gone {
        /// The page.
        url: String,
        /// What its server said, 404 or 410.
        status: u16,
        /// When it first said that the page is not there.
        #[schema(value_type = String)]
        first: Moment,
        /// When it said so again, days later.
        #[schema(value_type = String)]
        last: Moment,
        /// The same in words.
        words: String,
    },
    /// A page that leads elsewhere now.
    Moved {
        /// The page.
        url: String,
        /// Where it leads.
        to: String,
        /// Since when.
        #[schema(value_type = String)]
        at: Moment,
    },
    /// The last line of a list.
    Counts(ChangeCounts),
}

/// What differs between two versions of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageChange {
    /// The page.
    pub url: String,
    /// When the earlier version was fetched.
    #[schema(value_type = String)]
    pub before: Moment,
    /// When the later one was.
    #[schema(value_type = String)]
    pub after: Moment,
    /// Versions that are kept.
    pub versions: u64,
    /// What differs first: `same`, `tags`, `tree`, `text`, `attributes`, `image`, or `source`: only scripts, comments,
    /// white space and what else nobody reads.
    pub level: String,
    /// How much of the text is another: `none`, `no-text`, `small`, `medium`, `large` or `complete`.
    pub severity: String,
    /// The same against the first version.
    pub severity_since_first: String,
    /// When the version that was accepted last was fetched, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub accepted: Option<Moment>,
    /// How much of the text is another against that version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity_since_accepted: Option<String>,
    /// Only clocks, counters and the like differ that change every time, or what was named as noise.
    pub noise: bool,
    /// Words that came; noise is not counted.
    pub words_added: u64,
    /// Words that went.
    pub words_removed: u64,
    /// What differs as noise, where one page or noise was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise_places: Vec<NoisePlace>,
    /// The cascade step by step, where one page was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ChangeStep>,
    /// The details, where one page was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<ChangeDetails>,
}

/// The details of a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangeDetails {
    /// Words that came and went, in order.
    pub words: Vec<ChangedWords>,
    /// Levels of the tree that differ.
    pub levels: Vec<ChangedLevel>,
    /// Attributes that differ, as `path@name`.
    #[serde(default)]
    pub attributes: Vec<String>,
    /// Images that came, went or are others, where images are fetched.
    #[serde(default)]
    pub images: Vec<ChangedImage>,
    /// Text I of both.
    pub text_one: [f64; 2],
    /// Text II of both.
    pub text_two: [f64; 2],
    /// The main text before, without noise.
    pub text_before: String,
    /// The same after.
    pub text_after: String,
}

/// A place at which noise differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoisePlace {
    /// The path of the element, with ids, classes and positions from the second on; of an attribute with `@name`.
    pub place: String,
    /// What stood there.
    pub before: String,
    /// What stands there.
    pub after: String,
}

/// Words that came or went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedWords {
    /// They came.
    pub added: bool,
    /// The words.
    pub words: String,
    /// Words before them in the version that has them.
    pub at: u64,
}

/// A level of the tree that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedLevel {
    /// The root is at 1.
    pub level: u64,
    /// Elements before and after.
    pub elements: [u64; 2],
    /// Elements with other text.
    pub edited: Vec<String>,
    /// Elements that came.
    pub added: Vec<String>,
    /// Elements that went.
    pub removed: Vec<String>,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeCounts {
    /// Pages with more than one version, or with other images than before.
    pub changed: u64,
    /// Those of them of which only noise differs.
    pub noise: u64,
    /// Images that are others than before.
    #[serde(default)]
    pub images: u64,
    /// Pages that are gone.
    pub gone: u64,
    /// Pages that lead elsewhere now.
    #[serde(default)]
    pub moved: u64,
    /// Pages that are kept, images aside.
    pub pages: u64,
}

/// A version that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AcceptedVersion {
    /// The page.
    pub url: String,
    /// When the version was fetched.
    #[schema(value_type = String)]
    pub version: Moment,
    /// When it was accepted.
    #[schema(value_type = String)]
    pub at: Moment,
}

/// A version of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageVersion {
    /// The page.
    pub url: String,
    /// When it was fetched.
    #[schema(value_type = String)]
    pub at: Moment,
    /// Its title.
    pub title: Option<String>,
    /// Its content type.
    pub content_type: Option<String>,
    /// Bytes of its content.
    pub bytes: u64,
    /// It is the one that was accepted last.
    #[serde(default)]
    pub accepted: bool,
    /// Its main text, where one version was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its content, decoded, where one version was asked for and it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The bytes of its content in Base64, where it is no text, as images and PDFs are, or they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}
