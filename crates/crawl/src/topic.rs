//! The topic of a project, from its settings to what judges pages.

use judge::topic::{Method, Topic, TopicChoice, Weights};
use model::{CrawlSettings, Policy, TopicMethod};

use crate::CrawlError;

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
