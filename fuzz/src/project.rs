//! Project files: the input is the YAML.

use model::{Project, ProjectError};

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match Project::parse(&text, "project.yaml") {
        Ok(project) => {
            assert!(!project.start.is_empty());
            let written = project.to_yaml();
            let again = Project::parse(&written, "written.yaml");
            assert_eq!(again.as_ref(), Ok(&project), "written as {written:?}");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("project.yaml:"), "{message:?}");
            if let ProjectError::At { line, problem, .. } = error {
                let lines = text.split(['\n', '\r']).count() as u64;
                assert!((1..=lines + 1).contains(&line), "line {line} of {lines}: {message}");
                assert!(!problem.is_empty());
            }
        }
    }
}
