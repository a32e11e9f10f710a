//! The vocabulary of Gannet as plain data: URLs, hosts, leases, fetched answers, pages, rows, outcomes, projects.
//!
//! Validation yes; I/O, clocks and policy no. Every other crate speaks in these words.

mod fetched;
mod key;
mod lease;
mod link;
mod outcome;
mod page;
mod project;
mod row;
mod settings;
mod shared_text;
mod template;
mod time;
mod url;

pub use fetched::{Cut, Fetched, Headers, HttpVersion, Timings, Validators};
pub use key::{CrawlId, HostKey, UrlKey, UrlKeys};
pub use lease::{EarlierVersion, Lease, LeaseId, LeasedUrl};
pub use link::{Link, LinkKind, LinkLook, Rel};
pub use outcome::{ErrorKind, Guard, Limit, Outcome};
pub use page::{DateSource, Heading, Image, Page, PageDate, PageDirectives};
pub use project::{Project, ProjectError, ProjectName};
pub use row::{Row, RowKey, TemplateVersion, Value};
pub use settings::{
    AddressRange, Compression, CookieText, CrawlSettings, DuplicateAct, DuplicateSettings, Duplicates,
    Factor, KeepPages, Kind as SettingKind, LONG_LIST_TYPES, MAX_LIST, MediaPattern, NameServer, OffTopic,
    Order, Pattern, Period, Policy, ProxyPer, ProxyScheme, ProxyUrl, Rate, Revisit, RevisitSettings,
    RobotsMode, Scope, Setting, Size, Span, TopicMethod, ValueError,
};
pub use shared_text::SharedText;
pub use template::{
    Field, FieldKind, Follow, JsonPlace, Keep, Language, Next, PageType, Place, SelectorText, Source, Step,
    Template, TemplateError,
};
pub use time::Timestamp;
pub use url::{Host, Joiner, Normalise, Origin, PageUrl, UrlError};
