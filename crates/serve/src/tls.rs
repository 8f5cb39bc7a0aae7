//! Encrypted connections: with a certificate of one's own, or one made at the start.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto::ring::default_provider};

use crate::config::Tls;
use crate::server::ServeError;

/// What accepts encrypted connections, and the SHA-256 of its certificate as browsers show it.
pub struct Encryption {
    pub acceptor: TlsAcceptor,
    pub fingerprint: String,
}

impl Encryption {
    /// As wanted; a certificate made here is for these addresses and names.
    pub fn new(tls: &Tls, addresses: &[IpAddr], names: &[String]) -> Result<Option<Encryption>, ServeError> {
        let failed = |why: String| ServeError::Tls(why);
        let (chain, key) = match tls {
            Tls::Off => return Ok(None),
            Tls::Files { cert, key } => (read_chain(cert)?, read_key(key)?),
            Tls::SelfSigned => self_signed(addresses, names).map_err(|error| failed(error.to_string()))?,
        };
        let fingerprint = chain.first().map(fingerprint).unwrap_or_default();
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| failed(format!("certificate and key cannot be used: {error}")))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(Encryption { acceptor: TlsAcceptor::from(Arc::new(config)), fingerprint }))
    }
}

type Pair = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn self_signed(addresses: &[IpAddr], names: &[String]) -> Result<Pair, rcgen::Error> {
    let mut all: Vec<String> = vec!["localhost".into(), "127.0.0.1".into(), "::1".into()];
    all.extend(addresses.iter().map(IpAddr::to_string).chain(names.iter().cloned()));
    all.sort();
    all.dedup();
    let made = rcgen::generate_simple_self_signed(all)?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    Ok((vec![made.cert.der().clone()], key.into()))
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, ServeError> {
    let failed = |why: String| ServeError::Tls(format!("--cert {}: {why}", path.display()));
    let chain: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| failed(format!("cannot be read: {error}")))?;
    match chain.is_empty() {
        true => Err(failed("there is no certificate (in PEM) in it".into())),
        false => Ok(chain),
    }
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, ServeError> {
    PrivateKeyDer::from_pem_file(path)
        .map_err(|error| ServeError::Tls(format!("--key {}: no private key could be read: {error}", path.display())))
}

fn fingerprint(cert: &CertificateDer<'_>) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, cert);
    digest.as_ref().iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}
