//! The certificates of the TLS hosts: good ones by a certificate authority of the web's own, and those
//! that prove nothing. They are made anew at each start, the one thing that does not follow from the seed.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, SupportedProtocolVersion, version};

use super::book::DOMAIN;
use crate::WebsError;

/// Intermediate certificates sent along by the host that sends far too many.
const LONG_CHAIN: usize = 400;

/// How the hosts of the TLS listener introduce themselves.
pub(super) struct Certificates {
    /// The certificate authority, to be trusted by the crawler.
    pub(super) ca: String,
    /// Good, HTTP/1.1.
    http1: Arc<ServerConfig>,
    /// Good, HTTP/2 or 1.1.
    http2: Arc<ServerConfig>,
    /// The others, by label.
    odd: Vec<(&'static str, Arc<ServerConfig>)>,
}

impl Certificates {
    pub(super) fn new() -> Result<Self, WebsError> {
        Self::make().map_err(|error| WebsError::Certificates { reason: error.to_string() })
    }

    /// What the host with this label shows.
    pub(super) fn of(&self, label: &str) -> Arc<ServerConfig> {
        if let Some((_, config)) = self.odd.iter().find(|(known, _)| *known == label) {
            return Arc::clone(config);
        }
        Arc::clone(if label.starts_with("h2") { &self.http2 } else { &self.http1 })
    }

    fn make() -> Result<Self, Box<dyn std::error::Error>> {
        let ca = authority()?;
        let stranger = authority()?;
        let everything = format!("*.{DOMAIN}");
        let made = |params: CertificateParams, issuer: &Issuer<'_, KeyPair>| {
            let key = KeyPair::generate()?;
            let signed = params.signed_by(&key, issuer)?;
            Ok::<_, rcgen::Error>(Shown { chain: vec![signed.der().clone()], key })
        };
        let good = made(leaf(&everything)?, &ca)?;
        let between = |from: i32, to: i32| {
            let mut params = leaf(&everything)?;
            (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
            made(params, &ca)
        };
        let own_key = KeyPair::generate()?;
        let own: Certificate = leaf(&everything)?.self_signed(&own_key)?;
        // Whoever holds a good certificate tries to sign another with it.
        let signer = Issuer::new(leaf(&everything)?, KeyPair::try_from(good.key.serialize_der())?);
        let mut forged = made(leaf(&everything)?, &signer)?;
        forged.chain.extend(good.chain.clone());
        let mut long = good.copy()?;
        long.chain.extend(std::iter::repeat_n(good.chain[0].clone(), LONG_CHAIN));

        let both: &[&SupportedProtocolVersion] = &[&version::TLS13, &version::TLS12];
        let http1: &[&[u8]] = &[b"http/1.1"];
        let odd = vec![
            ("tls-1-2", good.config(&[&version::TLS12], &[])?),
            ("tls-1-3", good.config(&[&version::TLS13], http1)?),
            ("tls-expired", between(1999, 2001)?.config(both, http1)?),
            ("tls-early", between(2999, 3001)?.config(both, http1)?),
            ("tls-wrong-name", made(leaf("other.test")?, &ca)?.config(both, http1)?),
            ("tls-unknown", made(leaf(&everything)?, &stranger)?.config(both, http1)?),
            ("tls-forged", forged.config(both, http1)?),
            ("tls-self-signed", Shown { chain: vec![own.der().clone()], key: own_key }.config(both, http1)?),
            ("tls-long-chain", long.config(both, http1)?),
        ];
        Ok(Self {
            ca: ca.pem(),
            http1: good.config(both, http1)?,
            http2: good.config(both, &[b"h2", b"http/1.1"])?,
            odd,
        })
    }
}

/// A certificate with what is sent along, and its key.
struct Shown {
    chain: Vec<CertificateDer<'static>>,
    key: KeyPair,
}

impl Shown {
    fn copy(&self) -> Result<Self, rcgen::Error> {
        Ok(Self { chain: self.chain.clone(), key: KeyPair::try_from(self.key.serialize_der())? })
    }

    fn config(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&[u8]],
    ) -> Result<Arc<ServerConfig>, Box<dyn std::error::Error>> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(self.key.serialize_der())?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)?
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), key)?;
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Ok(Arc::new(config))
    }
}

fn authority() -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    CertifiedIssuer::self_signed(params, KeyPair::generate()?)
}

fn leaf(name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(vec![name.to_owned()])?;
    params.is_ca = IsCa::ExplicitNoCa;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok(params)
}
