//! stub
use model::*;
/// x
#[derive(Default)]
pub struct CookieJar;
/// x
pub struct StartCookie;
impl CookieJar {
    /// x
    pub fn store(&self, _: &PageUrl, _: &Headers, _: Timestamp) {}
    /// x
    pub fn header(&self, _: &PageUrl, _: Timestamp) -> Option<String> { None }
}
