//! Who may ask?
//!
//! On this machine: whoever names this machine in the address. A page from elsewhere that a name server
//! has led here names its own host, and is refused. From other machines: whoever has the token. Whoever
//! wants to change something must also set a header, which pages from elsewhere cannot.

use std::io;
use std::net::SocketAddr;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, header};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, web};

/// The header that must be there to change something; its value does not matter.
pub const ORDER: &str = "x-myriad-order";

/// Decides who may ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Door {
    address: SocketAddr,
    token: Option<String>,
}

impl Door {
    /// A door for whoever is on this machine.
    pub fn of_this_machine(address: SocketAddr) -> Self {
        Door {
            address,
            token: None,
        }
    }

    /// A door for whoever has the token, which is made here.
    pub fn with_token(address: SocketAddr) -> io::Result<Self> {
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        let token = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Door {
            address,
            token: Some(token),
        })
    }

    /// The address for a browser.
    pub fn url(&self) -> String {
        match &self.token {
            None => format!("http://{}/", self.address),
            Some(token) => format!("http://{}/?token={token}", self.address),
        }
    }

    /// Whether somebody may come in; if not, why.
    fn refuses(&self, host: Option<&str>, query: &str) -> Option<&'static str> {
        match &self.token {
            Some(token) => {
                let given = query
                    .split('&')
                    .find_map(|pair| pair.strip_prefix("token="));
                let right = given.is_some_and(|given| same(given.as_bytes(), token.as_bytes()));
                (!right)
                    .then_some("a token is needed: use the whole address that the program printed")
            }
            None => {
                let port = self.address.port();
                let name = host.and_then(|host| host.strip_suffix(&format!(":{port}")));
                let here = name.is_some_and(|name| {
                    let ip = name.trim_start_matches('[').trim_end_matches(']');
                    name == "localhost" || ip.parse() == Ok(self.address.ip())
                });
                (!here).then_some("this is served to its own machine only")
            }
        }
    }
}

/// Whether two secrets are equal, in a time that does not say how much of them is.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// Lets a request pass, or answers that it may not; adds what browsers should know of every answer.
pub(super) async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let door = request.app_data::<web::Data<Door>>().cloned();
    let door = door.expect("every server has its door");
    let host = request.headers().get(header::HOST);
    let host = host
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let mut refused = door.refuses(host.as_deref(), request.query_string());
    if request.method() != Method::GET && !request.headers().contains_key(ORDER) {
        refused = refused.or(Some("an order needs the header x-myriad-order"));
    }
    let mut response = match refused {
        Some(why) => {
            let answer = HttpResponse::Forbidden().body(format!("{why}\n"));
            request.into_response(answer).map_into_boxed_body()
        }
        None => next.call(request).await?.map_into_boxed_body(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(
            header::HeaderName::from_static(name),
            header::HeaderValue::from_static(value),
        );
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_this_machine_only_its_own_names_open_the_door() {
        let door = Door::of_this_machine("127.0.0.1:4000".parse().unwrap());
        assert_eq!(door.url(), "http://127.0.0.1:4000/");
        for right in ["127.0.0.1:4000", "localhost:4000"] {
            assert_eq!(door.refuses(Some(right), ""), None, "{right}");
        }
        for wrong in [
            "evil.example:4000",
            "127.0.0.1",
            "127.0.0.1:4001",
            "127.0.0.1.evil.example:4000",
            "",
        ] {
            assert!(door.refuses(Some(wrong), "").is_some(), "{wrong}");
        }
        assert!(door.refuses(None, "").is_some());
        let six = Door::of_this_machine("[::1]:4000".parse().unwrap());
        assert_eq!(six.refuses(Some("[::1]:4000"), ""), None);
    }

    #[test]
    fn from_elsewhere_the_token_opens_the_door_and_nothing_else() {
        let door = Door::with_token("10.0.0.1:80".parse().unwrap()).unwrap();
        let (_, token) = door
            .url()
            .split_once("?token=")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        assert_eq!(token.len(), 32);
        assert_eq!(
            door.refuses(Some("any.example"), &format!("after=3&token={token}")),
            None
        );
        let changed = format!("token={}", token.replace(&token[..1], "x"));
        for wrong in [
            "",
            "token=",
            &changed,
            &format!("token={token}0"),
            &format!("token={}", &token[1..]),
        ] {
            assert!(
                door.refuses(Some("10.0.0.1:80"), wrong).is_some(),
                "{wrong}"
            );
        }
        let other = Door::with_token("10.0.0.1:80".parse().unwrap()).unwrap();
        assert_ne!(door, other, "tokens are made by chance");
    }
}
