//! Who may ask: one-time keys, sessions of browsers, tokens of programs. Secrets are random; only hashes are kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use catalog::{AccessHash, Catalog, CatalogError, Token};
use model::Timestamp;
use sha2::{Digest as _, Sha256};

/// How long a browser stays signed in.
pub(crate) const SESSION: Duration = Duration::from_secs(30 * 86_400);

/// How long a sign-in link is good.
const KEY: Duration = Duration::from_secs(24 * 3_600);

/// Sign-in links that are good at once; the oldest go first.
const KEYS: usize = 16;

/// Sessions remembered in memory, so that most requests need no database.
const REMEMBERED: usize = 256;

/// How long a session is believed without asking the database.
const BELIEVED: Duration = Duration::from_secs(60);

/// The start of every token, so that people and scanners know one when they see it.
const TOKEN: &str = "gannet_";

/// Keys, sessions and tokens.
pub(crate) struct Access {
    catalog: Catalog,
    keys: Mutex<Vec<(AccessHash, Timestamp)>>,
    remembered: Mutex<HashMap<AccessHash, Timestamp>>,
}

/// A secret's text.
pub(crate) struct Secret(pub(crate) String);

impl Access {
    pub(crate) fn new(catalog: Catalog) -> Access {
        Access { catalog, keys: Mutex::default(), remembered: Mutex::default() }
    }

    /// A key that signs one browser in.
    pub(crate) fn new_key(&self, now: Timestamp) -> Secret {
        let secret = Secret::new("");
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= KEYS {
            keys.remove(0);
        }
        keys.push((secret.hash(), now + KEY));
        secret
    }

    /// Trades a key for a session; none when the key is wrong, used or too old.
    pub(crate) async fn sign_in(&self, key: &str, now: Timestamp) -> Result<Option<Secret>, CatalogError> {
        let hash = Secret(key.to_owned()).hash();
        {
            let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
            keys.retain(|(_, until)| *until > now);
            let Some(at) = keys.iter().position(|(known, _)| *known == hash) else { return Ok(None) };
            keys.remove(at);
        }
        let session = Secret::new("");
        self.catalog.add_session(&session.hash(), now, now + SESSION).await?;
        Ok(Some(session))
    }

    /// Whether a session is good.
    pub(crate) async fn knows(&self, session: &Secret, now: Timestamp) -> Result<bool, CatalogError> {
        let hash = session.hash();
        let remembered = || self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered().get(&hash).is_some_and(|until| *until > now) {
            return Ok(true);
        }
        let known = self.catalog.knows_session(&hash, now).await?;
        let mut remembered = remembered();
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        if known {
            remembered.insert(hash, now + BELIEVED);
        }
        Ok(known)
    }

    /// Ends a session.
    pub(crate) async fn sign_out(&self, session: &Secret) -> Result<(), CatalogError> {
        let hash = session.hash();
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).remove(&hash);
        self.catalog.drop_session(&hash).await
    }

    /// Makes a token; its secret is told once.
    pub(crate) async fn new_token(
        &self,
        name: &str,
        now: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(Token, Secret), CatalogError> {
        let secret = Secret::new(TOKEN);
        let token = self.catalog.add_token(name, &secret.hash(), now, expires).await?;
        Ok((token, secret))
    }

    /// Whether a token is good.
    pub(crate) async fn takes(&self, token: &str, now: Timestamp) -> Result<bool, CatalogError> {
        if !token.starts_with(TOKEN) {
            return Ok(false);
        }
        self.catalog.use_token(&Secret(token.to_owned()).hash(), now).await
    }
}

impl Secret {
    /// 256 random bits.
    fn new(prefix: &str) -> Secret {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the system has random numbers");
        Secret(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    fn hash(&self) -> AccessHash {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The word that a page must send along with a session's unsafe requests: nobody else can know it.
    pub(crate) fn csrf(&self) -> String {
        let hash = Sha256::new().chain_update(b"csrf\0").chain_update(self.0.as_bytes()).finalize();
        URL_SAFE_NO_PAD.encode(hash)
    }

    /// Whether a word is that of this session; takes as long for a nearly right one.
    pub(crate) fn has_csrf(&self, word: &str) -> bool {
        let own = self.csrf();
        own.len() == word.len() && own.bytes().zip(word.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_session_is_its_own() {
        let (one, other) = (Secret::new(""), Secret::new(""));
        assert!(one.has_csrf(&one.csrf()));
        assert!(!one.has_csrf(&other.csrf()) && !one.has_csrf("") && !one.has_csrf(&one.csrf()[1..]));
        assert!(Secret::new(TOKEN).0.len() > 40);
    }
}
