//! Bytes -> page: character encoding, links with their attributes, title, meta data, visible text,
//! and of that the main part; author, dates, headings, images, tables.
//!
//! Pure and total: broken input gives a poorer page, never an error. The page is read from parser events
//! (crate `html`), so it is the same whether or not a tree is built beside it.

mod author;
mod beginnings;
mod charset;
mod date_labels;
mod dated;
mod dates;
mod directives;
mod document;
mod element;
mod hints;
mod kind;
mod language;
mod linked_data;
mod links;
mod main_text;
mod markdown;
mod marks;
mod months;
mod notices;
mod outline;
mod page;
mod parts;
mod pdf;
mod picture;
mod prescan;
mod reader;
mod refresh;
mod rel;
mod role;
mod script_dates;
mod sections;
mod sitemap;
mod teasers;
mod words;
mod xml;
mod zip;

pub use charset::decode;
pub use kind::{Kind, is_pdf, kind};
pub use page::{Input, MAX_LINKS, add_headers, page, page_and_tree, page_links, page_with_tables};
pub use pdf::pdf;
pub use picture::{Picture, is_picture, picture};
pub use rel::rel_words;
pub use sitemap::{Listed, Sitemap, SitemapKind, sitemap};
