//! The topic of a project, from its settings to what judges pages.

use std::sync::{Arc, PoisonError, RwLock};

use frontier::PageTopic;
use frontier::tables::kept_relevance;
use judge::topic::{Method, Topic, TopicChoice, Weights};
use model::{CrawlSettings, Policy, TopicMethod};
use xxhash_rust::xxh3::xxh3_64;

use crate::CrawlError;
use crate::page::{FoundLink, PageRead};

/// The topic of these settings, if they name one; an order that needs one is refused without it.
pub fn topic_of(settings: &CrawlSettings) -> Result<Option<Topic>, CrawlError> {
    let topic = Topic::new(&TopicChoice {
        words: settings.topic.clone(),
        examples: settings.topic_examples.clone(),
        language: settings.topic_language.clone(),
        method: match settings.topic_method {
            TopicMethod::Auto => Method::Auto,
            TopicMethod::Counts => Method::Counts,
            TopicMethod::S4Printed => Method::S4Printed,
            TopicMethod::Profile => Method::Profile,
        },
        threshold: settings.topic_threshold.map(|least| least.value()),
        weights: Weights {
            text: settings.topic_text_weight.value(),
            title: settings.topic_title_weight.value(),
            word: settings.topic_word_weight.value(),
        },
    })?;
    let order = settings.order;
    if topic.is_none() && order.needs_topic() {
        return Err(CrawlError::NoTopic(order));
    }
    if order.has(Policy::TimedBreadthFirst) && settings.walltime.limit().is_none() {
        return Err(CrawlError::NoWalltime(order));
    }
    Ok(topic)
}

/// Tells the topic of these settings from others.
pub(crate) fn topic_tag(settings: &CrawlSettings) -> u16 {
    let CrawlSettings { topic, topic_examples, topic_language, topic_method, topic_threshold, .. } = settings;
    let threshold = topic_threshold.map(|least| least.to_string()).unwrap_or_default();
    let language = topic_language.clone().unwrap_or_default();
    let weights = [settings.topic_text_weight, settings.topic_title_weight, settings.topic_word_weight];
    let mut parts = vec![language, topic_method.to_string(), threshold];
    parts.extend(weights.map(|weight| weight.to_string()));
    parts.push(topic.join("\0"));
    parts.push(topic_examples.join("\0"));
    // None is 0.
    (xxh3_64(parts.join("\0\0").as_bytes()) % 0xfff) as u16 + 1
}

/// What pages are judged by; another topic takes its place while they are read.
#[derive(Clone, Default)]
pub(crate) struct TopicInForce(Arc<RwLock<Option<Arc<Tagged>>>>);

struct Tagged {
    topic: Topic,
    tag: u16,
}

impl TopicInForce {
    /// Takes the topic of these settings.
    pub(crate) fn set(&self, settings: &CrawlSettings) -> Result<(), CrawlError> {
        let topic = topic_of(settings)?.map(|topic| Arc::new(Tagged { topic, tag: topic_tag(settings) }));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = topic;
        Ok(())
    }

    /// True when there is one.
    pub(crate) fn is_some(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// What a page has to do with it, if there is one.
    pub(crate) fn judge(&self, read: &PageRead) -> Option<PageTopic> {
        let tagged = self.0.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        let Tagged { topic, tag } = &*tagged;
        let found = topic.relevance(&read.page.title, &read.page.text);
        let promise = |found: FoundLink<'_>| topic.link_promise(&found.link.anchor, &found.link.url);
        let value = found.value as f32;
        Some(PageTopic {
            tag: *tag,
            value,
            // As exact as it is kept: a simulation of the crawl has no more.
            relevance: topic.share(kept_relevance(value)) as f32,
            on_topic: found.on_topic,
            promises: read.links().map(promise).collect(),
        })
    }
}
