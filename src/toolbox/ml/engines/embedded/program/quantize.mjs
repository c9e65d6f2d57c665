import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { emit, fail, send, sizeOf, spec } from './channel.mjs';
import { metadataOf, reorderRotary, writeGguf } from './gguf.mjs';
import { readShape, tensorShapes } from './llama.mjs';
import { readTensors } from './safetensors.mjs';

const readJson = (name) => JSON.parse(readFileSync(join(spec.inputs.base, name), 'utf8'));

/** Writes a model of safetensors as one GGUF file. */
export function quantize() {
  const { quantization } = spec.job;
  const shape = readShape(readJson('config.json'));
  const stored = {};
  for (const name of readdirSync(spec.inputs.base)
    .filter((file) => file.endsWith('.safetensors') && !file.startsWith('adapter'))
    .sort())
    Object.assign(stored, readTensors(join(spec.inputs.base, name)));
  const tensors = {};
  let original = 0;
  const wanted = tensorShapes(shape);
  emit({
    event: 'start',
    engine: 'gguf',
    version: spec.version,
    steps: wanted.length,
    parameters: wanted.reduce(
      (sum, [, dims]) => sum + dims.reduce((product, one) => product * one, 1),
      0,
    ),
    trainableParameters: 0,
    fromStep: 0,
  });
  for (const [name, dims] of wanted) {
    const tensor = stored[name] ?? fail('ml.unsupported_model', `The tensor "${name}" is missing`);
    if (String(tensor.shape) !== String(dims))
      fail(
        'ml.unsupported_model',
        `The tensor "${name}" is ${tensor.shape.join(' × ')}, and the configuration says ${dims.join(' × ')}`,
      );
    for (const value of tensor.values)
      if (!Number.isFinite(value))
        fail('ml.damaged_model', `The tensor "${name}" has a value that is not finite`);
    tensors[name] = { shape: dims, values: reorderRotary(name, tensor, shape, 1) };
    original += tensor.values.length * 4;
  }
  let settings = {};
  try {
    settings = readJson('tokenizer_config.json');
  } catch {
    // It only names special tokens.
  }
  const parts = writeGguf({
    tensors,
    metadata: metadataOf(shape, readJson('tokenizer.json'), settings),
    quantization,
  });
  send('result', 0, { 'model.gguf': parts });
  emit({ event: 'done', metrics: { bytes: sizeOf(parts), ratio: sizeOf(parts) / original } });
}
