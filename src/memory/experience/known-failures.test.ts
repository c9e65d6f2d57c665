import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../contract/error/index.ts';
import { matchKnown, readKnownFailures } from './known-failures.ts';

const all = await readKnownFailures();
const first = (text: string, exitCode?: number): string | undefined =>
  matchKnown(all, { text, exitCode })[0]?.known.id;

describe('the shipped base of failures', () => {
  it('has many families, each once, and names only families that exist', () => {
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(120);
    const codes = all.flatMap((known) => known.codes);
    expect(codes.filter((code) => !Object.hasOwn(errorCodes, code))).toEqual([]);
    expect(all.flatMap(({ over }) => over).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('has a source for each row, and a cure that looks or can be taken back for most', () => {
    for (const { source } of all)
      expect(source).toMatch(/^https:\/\/|^docs\/|#\d+|PR \d+|^reproduced/);
    const gentle = all.filter(({ cures }) => cures.some(({ kind }) => kind !== 'effect'));
    expect(gentle.length / all.length).toBeGreaterThan(0.8);
  });

  it('calls no command read-only or safe that removes, installs or overwrites', () => {
    const strong = /(?<!-)\b(?:rm|install|purge|prune|kill|chown|reset --hard|push|drop|delete)\b/i;
    const wrong = all.flatMap(({ id, cures }) =>
      cures
        .filter(({ kind, command }) => kind !== 'effect' && strong.test(command ?? ''))
        .map(() => id),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB', 'cuda-out-of-memory'],
    ["DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes", 'cpu-allocator'],
    ['[enforce fail at inline_container.cc:337] . unexpected pos 64 vs 0', 'checkpoint-disk-full'],
    [
      "OSError: [Errno 122] Disk quota exceeded: 'checkpoint-500/model.safetensors'",
      'training-disk-quota',
    ],
    [
      'ValueError: Asking to pad but the tokenizer does not have a padding token',
      'padding-token-missing',
    ],
    ['the model does not stop generating', 'generation-never-stops'],
    ['IndexError: index out of range in self', 'token-out-of-range'],
    [
      'size mismatch for base_model.model.embed_tokens.weight: copying a param',
      'embedding-size-mismatch',
    ],
    ['ValueError: Target modules q_proj not found in the base model', 'lora-target-modules'],
    ['element 0 of tensors does not require grad and does not have a grad_fn', 'no-gradient'],
    ['after training lora_B is all zero', 'lora-untrained'],
    ["{'loss': nan, 'learning_rate': 0.1}", 'loss-nan'],
    ['eval loss is worse than the base model', 'learning-rate-too-high'],
    ["ValueError: Your setup doesn't support bf16/gpu", 'bf16-unsupported'],
    [`RuntimeError: "addmm_impl_cpu_" not implemented for 'Half'`, 'half-not-implemented'],
    ['CUDA error: no kernel image is available for execution on the device', 'gpu-architecture'],
    ['AssertionError: Torch not compiled with CUDA enabled', 'torch-without-cuda'],
    [
      'The installed version of bitsandbytes was compiled without GPU support',
      'bitsandbytes-without-gpu',
    ],
    ['RuntimeError: Numpy is not available', 'numpy-two'],
    ['_pickle.UnpicklingError: Weights only load failed', 'weights-only-load'],
    ['the loss jumps after resuming', 'resume-loss-jump'],
    [
      "FileNotFoundError: [Errno 2] No such file or directory: 'checkpoint-9/trainer_state.json'",
      'checkpoint-torn',
    ],
    ['train_loss is too low after resuming', 'resume-average-loss'],
    ['safetensors_rust.SafetensorError: MetadataIncompleteBuffer', 'weights-truncated'],
    ["CastError: Couldn't cast because column names don't match", 'dataset-columns'],
    ["TypeError: Couldn't cast array of type string to null", 'dataset-null-column'],
    ["No columns in the dataset match the model's forward method signature", 'dataset-emptied'],
    [
      "__init__() got an unexpected keyword argument 'evaluation_strategy'",
      'eval-strategy-renamed',
    ],
    ['ValueError: tokenizer.chat_template is not set', 'chat-template-missing'],
    [
      'RuntimeError: DataLoader worker (pid 9) is killed by signal: Bus error',
      'shared-memory-too-small',
    ],
    ['huggingface_hub.errors.GatedRepoError: 401 Client Error', 'gated-model'],
    ['NotImplementedError: BPE pre-tokenizer was not recognized', 'gguf-tokenizer-unknown'],
    ['tensor cols 100 are not divisible by 256, required for q4_K', 'gguf-quant-columns'],
    ['numpy is linked with reference BLAS', 'slow-blas'],
    ['npm error onnxruntime-node: getaddrinfo ENOTFOUND host', 'onnxruntime-download'],
    ["Error: Kernel 'Einsum' not registered for backend 'wasm'", 'tfjs-kernel-missing'],
    ['IndexError: Target 7 is out of bounds.', 'label-out-of-bounds'],
    ['Expected input batch_size (4) to match target batch_size (8)', 'batch-size-mismatch'],
    ['expected scalar type Float but found Half', 'dtype-mismatch'],
    ['Missing key(s) in state_dict: "a.weight"', 'weights-shape-mismatch'],
    ['Token indices sequence length is longer than the specified maximum', 'sequence-too-long'],
  ])('knows the failure of training "%s"', (text, family) => {
    expect(first(text)).toBe(family);
  });

  it('puts the special failure before the general one that also matches', () => {
    const found = matchKnown(all, { text: 'fatal error: zlib.h: No such file or directory' });
    expect(found.map(({ known }) => known.id).slice(0, 2)).toEqual([
      'c-header-missing',
      'file-not-found',
    ]);
    expect(found[0]?.likeness).toBeGreaterThan(found[1]?.likeness ?? 1);
  });

  it('goes by the exit code where nothing was said, and by our error codes', () => {
    expect(first('', 137)).toBe('killed');
    expect(first('', 1)).toBeUndefined();
    const byCode = matchKnown(all, { text: 'no', code: 'fleet.outcome_unknown' });
    expect(byCode[0]?.known.id).toBe('mcp-server-died-in-call');
  });

  it('says nothing about what it does not know', () => {
    for (const text of ['', 'the moon is full', 'ValueError: 7 is not a colour']) {
      expect(first(text)).toBeUndefined();
    }
  });

  it('stays quick for long and hostile texts', () => {
    const texts = [
      'x'.repeat(200_000),
      'error: '.repeat(30_000),
      '"'.repeat(99_999),
      '[rejected '.repeat(9_999),
    ];
    const startedAt = performance.now();
    for (const text of texts) matchKnown(all, { text });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });
});
