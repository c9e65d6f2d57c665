import { fillNames } from './fill-names.ts';
import type { TemplateSet } from './template-set.ts';

const restResource = `//! «title»
//! Items are kept in memory as the JSON texts they came as: replace that by a database.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;

const PATH: &str = "/«kebab»";
const MAX_REQUEST_BYTES: usize = 1_000_000;

#[derive(Debug, Default)]
pub struct Store {
    items: BTreeMap<u32, String>,
    last_id: u32,
}

impl Store {
    /// Answers one request: status and JSON.
    pub fn handle(&mut self, method: &str, path: &str, body: &str) -> (u16, String) {
        let Some(rest) = path.strip_prefix(PATH) else {
            return (404, String::from("{}"));
        };
        let rest = rest.trim_matches('/');
        if rest.is_empty() {
            return match method {
                "GET" => (200, self.list()),
                "POST" => {
                    self.last_id += 1;
                    self.items.insert(self.last_id, String::from(body));
                    (201, self.show(self.last_id))
                }
                _ => (405, String::from("{}")),
            };
        }
        let id: u32 = match rest.parse() {
            Ok(id) if self.items.contains_key(&id) => id,
            _ => return (404, String::from("{}")),
        };
        match method {
            "GET" => (200, self.show(id)),
            "PUT" => {
                self.items.insert(id, String::from(body));
                (200, self.show(id))
            }
            "DELETE" => {
                self.items.remove(&id);
                (200, String::from("{}"))
            }
            _ => (405, String::from("{}")),
        }
    }

    fn list(&self) -> String {
        let items: Vec<String> = self.items.keys().map(|id| self.show(*id)).collect();
        format!("[{}]", items.join(","))
    }

    fn show(&self, id: u32) -> String {
        format!("{{\\"id\\":{},\\"value\\":{}}}", id, self.items[&id])
    }
}

fn main() -> std::io::Result<()> {
    let mut store = Store::default();
    let listener = TcpListener::bind("127.0.0.1:8000")?;
    for stream in listener.incoming() {
        let mut stream = stream?;
        let mut buffer = vec![0; MAX_REQUEST_BYTES];
        let length = stream.read(&mut buffer)?;
        let request = String::from_utf8_lossy(&buffer[..length]).into_owned();
        let (head, body) = request.split_once("\\r\\n\\r\\n").unwrap_or((&request, ""));
        let mut words = head.split_whitespace();
        let method = words.next().unwrap_or("");
        let path = words.next().unwrap_or("");
        let (status, json) = store.handle(method, path, body);
        write!(
            stream,
            "HTTP/1.1 {} OK\\r\\ncontent-type: application/json\\r\\ncontent-length: {}\\r\\nconnection: close\\r\\n\\r\\n{}",
            status,
            json.len(),
            json
        )?;
    }
    Ok(())
}
`;

export const rustTemplates: TemplateSet = {
  code: {
    function: ({ title, snake, parameters }) => `/// ${title}
pub fn ${snake}(${parameters.map((name) => `_${name}: &str`).join(', ')}) -> Result<String, String> {
    Err(String::from("${snake} is not written yet"))
}
`,
    class: ({ title, pascal }) => `/// ${title}
#[derive(Debug, Default)]
pub struct ${pascal}<T> {
    items: Vec<T>,
}

impl<T> ${pascal}<T> {
    pub fn new() -> Self {
        Self { items: Vec::new() }
    }

    /// Adds an item.
    pub fn add(&mut self, item: T) {
        self.items.push(item);
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The work this type is for.
    pub fn process(&self) -> Result<(), String> {
        Err(String::from("${pascal}::process is not written yet"))
    }
}
`,
    cli: ({ title, snake }) => `//! ${title}

use std::io::Read;

/// Does the work for one input, given as text.
fn ${snake}(_source: &str) -> Result<String, String> {
    Err(String::from("${snake} is not written yet"))
}

fn read_input() -> std::io::Result<String> {
    match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path),
        None => {
            let mut source = String::new();
            std::io::stdin().read_to_string(&mut source)?;
            Ok(source)
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = read_input()?;
    println!("{}", ${snake}(&source)?);
    Ok(())
}
`,
    rest: (names) => fillNames(restResource, names),
  },
  testFramework: 'cargo test',
  tests: (functions) => `#[cfg(test)]
mod tests {
${functions
  .map(
    (name) => `    #[test]
    #[ignore = "say what ${name} returns for a typical input, and what it does with bad input"]
    fn ${name}_does_what_it_promises() {}
`,
  )
  .join('\n')}}
`,
};
