import type { TestFramework } from '../framework.ts';
import { inProject, projectFolder, workFolder, type Project } from '../project.ts';
import { readCargoOutput } from '../read/read-cargo-output.ts';

/** Tests of a Rust crate; what it depends on must lie in `vendor/`, named in `.cargo/config.toml`. */
export const cargoTests: TestFramework = {
  plan: async ({ project, runFolder, coverage, filter }) => {
    const starter = `${workFolder}/${runFolder}/start-test.sh`;
    const cargo = [
      'cargo',
      'test',
      '--offline',
      '--no-fail-fast',
      '--color=never',
      `--config=target.'cfg(all())'.runner=['sh','${starter}']`,
      ...(filter === null ? [] : ['--', filter]),
    ];
    return {
      toolchains: ['rust'],
      // In one stream, so that it is known which program's tests a line is about.
      program: inProject(['sh', '-c', 'exec "$@" 2>&1', 'sh', ...cargo]),
      files: { ...manifestFor(project), [`${runFolder}/start-test.sh`]: startTest },
      env: {
        CARGO_HOME: `${workFolder}/${runFolder}/home`,
        CARGO_TARGET_DIR: `${workFolder}/${runFolder}/target`,
        CARGO_TERM_COLOR: 'never',
        RUST_BACKTRACE: '0',
      },
      stdin: '',
      mounts: [],
      needs: {
        memoryBytes: 1536 * 1024 * 1024,
        diskBytes: 768 * 1024 * 1024,
        outputBytes: 16 * 1024 * 1024,
      },
      reports: [],
      readReport: (result) => ({
        ...readCargoOutput(result.stdout),
        ...(coverage && { coverageNote: 'not measured: there is no coverage for Rust here' }),
      }),
    };
  },
};

/**
 * Test programs tell how long each test took only to those who ask for what is not stable; the
 * variable that allows it is set for them alone, not for the compiler.
 */
const startTest = `RUSTC_BOOTSTRAP=1 exec "$@" -Z unstable-options --report-time\n`;

/** A few files without a manifest are a crate as well. */
function manifestFor(project: Project): Readonly<Record<string, string>> {
  if (Object.hasOwn(project.files, 'Cargo.toml')) return {};
  const library = ['src/lib.rs', 'lib.rs'].find((path) => Object.hasOwn(project.files, path));
  const place = library === 'lib.rs' ? '\n[lib]\npath = "lib.rs"\n' : '';
  return {
    [`${projectFolder}/Cargo.toml`]: `[package]\nname = "project"\nversion = "0.0.0"\nedition = "2021"\n${place}`,
  };
}
