//! What pages and links promise of the relevance of what they lead to: shark-search.

use model::UrlKey;

/// What a page hands on of its relevance (δ), and what counts of it beside the link itself (γ): shark-search.
const INHERITED: f32 = 0.5;
const OF_INHERITED: f32 = 0.5;

/// A waiting URL and what the pages before it promise of its relevance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PromisedUrl {
    /// The URL.
    pub key: UrlKey,
    /// Relevance of the most relevant page that links to it.
    pub parent_relevance: f32,
    /// The most that a page hands on to it, as [`handed_on`] says.
    pub inherited: f32,
    /// The most that a link to it promises, as [`hope`] says.
    pub promise: f32,
}

/// What a page hands on of its relevance, or else of what it inherited.
pub fn handed_on(on_topic: bool, relevance: f32, inherited: f32) -> f32 {
    INHERITED * if on_topic { relevance } else { inherited }
}

/// What is promised by a link on a page that hands on so much.
pub fn hope(handed_on: f32, promise: f32) -> f32 {
    OF_INHERITED * handed_on + (1.0 - OF_INHERITED) * promise
}

/// What a page has to do with the crawl's topic.
#[derive(Clone, Debug, PartialEq)]
pub struct PageTopic {
    /// Tells one topic from another; 0 where there is only one.
    pub tag: u16,
    /// Its relevance by the measure of the topic.
    pub value: f32,
    /// The same from 0 to 1.
    pub relevance: f32,
    /// It is on topic.
    pub on_topic: bool,
    /// What each of its links promises by its own words, from 0 to 1; of further ones nothing is known.
    pub promises: Vec<f32>,
}
