/** A file of the host that a job reads. Its digest is checked before the job starts. */
export interface HashedFile {
  /** Absolute. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** JSON lines, one object a row, already read, mapped and split. */
export interface TrainingData {
  readonly train: HashedFile;
  readonly validation?: HashedFile | undefined;
  readonly test?: HashedFile | undefined;
}

/** What a model on disk is. `llama`: `config.json`, `model.safetensors` (Hugging Face names), `tokenizer.json`. */
export const modelFormats = ['llama', 'tabular', 'gguf'] as const;
export type ModelFormat = (typeof modelFormats)[number];

/** A model: a folder and its files, by name relative to the folder. */
export interface ModelFiles {
  readonly format: ModelFormat;
  readonly folder: string;
  readonly files: readonly ModelFile[];
}

export interface ModelFile {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Which columns of a row mean what. */
export interface TableColumns {
  readonly label: string;
  /** Empty: every other column. Numbers are used as they are, strings are one category each. */
  readonly features: readonly string[];
  /** A text column: the features are its words (tf-idf) and `features` is ignored. */
  readonly text?: string | undefined;
}

/** Either whole texts, or prompts with completions: then the loss counts the completion alone. */
export type TextColumns =
  | { readonly text: string }
  | { readonly prompt: string; readonly completion: string };

/** What a run may use. Longer training is several sandboxes, each resuming from the checkpoint of the one before. */
export interface JobLimits {
  /** The whole job. */
  readonly wallMs: number;
  readonly memoryBytes: number;
  /** Checkpoints and results on the host. */
  readonly diskBytes: number;
}

interface JobFrame {
  /** One seed gives one result. */
  readonly seed: number;
  /** Another number of threads gives other last digits: it belongs to what is hashed. */
  readonly threads: number;
  readonly limits: JobLimits;
}

/** Key names and defaults are in `hyperparameters.json`; absent keys get their defaults. */
export type Hyperparameters = Readonly<
  Record<string, number | string | boolean | readonly string[]>
>;

export interface TrainJob extends JobFrame {
  readonly kind: 'train';
  readonly task: 'classification' | 'regression';
  readonly algorithm: 'linear' | 'boosted';
  readonly data: TrainingData;
  readonly columns: TableColumns;
  readonly hyperparameters: Hyperparameters;
}

export interface FinetuneJob extends JobFrame {
  readonly kind: 'finetune';
  readonly method: 'full' | 'lora';
  readonly base: ModelFiles;
  readonly data: TrainingData;
  readonly columns: TextColumns;
  readonly hyperparameters: Hyperparameters;
}

export const quantizations = ['f16', 'q8_0', 'q4_0'] as const;
export type Quantization = (typeof quantizations)[number];

export interface QuantizeJob extends JobFrame {
  readonly kind: 'quantize';
  readonly model: ModelFiles;
  readonly quantization: Quantization;
}

export interface EvaluateJob extends JobFrame {
  readonly kind: 'evaluate';
  readonly model: ModelFiles;
  /** Only `test` is read, or `train` where there is no other. */
  readonly data: TrainingData;
  /** Not needed for tabular models: they know theirs. */
  readonly columns?: TextColumns | undefined;
  readonly hyperparameters: Hyperparameters;
}

export interface PredictJob extends JobFrame {
  readonly kind: 'predict';
  readonly model: ModelFiles;
  /** Rows without labels; for language models prompts in the column of `columns`. */
  readonly rows: HashedFile;
  readonly columns?: TextColumns | undefined;
  readonly hyperparameters: Hyperparameters;
}

/** Plain JSON: what a run is hashed by, and what the trainer in the sandbox reads. */
export type TrainingJob = TrainJob | FinetuneJob | QuantizeJob | EvaluateJob | PredictJob;

export type Metrics = Readonly<Record<string, number>>;

/** What a run reports while it goes on. At least one each two seconds while it trains. */
export type TrainingEvent =
  | {
      readonly event: 'start';
      readonly engine: string;
      readonly version: string;
      readonly steps: number;
      readonly parameters: number;
      readonly trainableParameters: number;
      /** Zero for a run from the beginning. */
      readonly fromStep: number;
    }
  | {
      readonly event: 'step';
      /** Finished steps; a step that takes long is reported more than once. */
      readonly step: number;
      readonly steps: number;
      readonly loss: number;
      readonly learningRate: number;
      readonly tokensPerSecond: number;
      readonly memoryBytes: number;
      readonly etaMs: number;
    }
  | {
      readonly event: 'eval';
      readonly step: number;
      readonly split: string;
      readonly metrics: Metrics;
    }
  | {
      readonly event: 'checkpoint';
      readonly step: number;
      readonly folder: string;
      readonly bytes: number;
      /** Of the manifest, which has the digests of the files. */
      readonly sha256: string;
    }
  /** A constant phrase with fields: `checkpoint passed over`, `columns ignored`. */
  | {
      readonly event: 'note';
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  | { readonly event: 'done'; readonly metrics: Metrics }
  | { readonly event: 'error'; readonly code: string; readonly message: string };

/** A number and how it was computed, to be shown before a run and checked after it. */
export interface Estimate {
  readonly value: number;
  /** `1,065,984 parameters × 4 bytes × 4 (weights, gradients, two moments) = 17 MB`. */
  readonly arithmetic: string;
}

export interface TrainingPlan {
  readonly engine: string;
  readonly steps: number;
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly wallMs: Estimate;
  readonly memoryBytes: Estimate;
  readonly diskBytes: Estimate;
  /** Why it cannot be done here, with the arithmetic; empty when it can. */
  readonly refusals: readonly string[];
}

/** What an engine can do on this machine. `kind` or `kind:detail`: `train:boosted`, `finetune:lora`, `quantize:q4_0`. */
export interface EngineReport {
  readonly engine: string;
  readonly version: string;
  /** Of the program that trains, and of the runtime and packages it trains with: with others the result may be another. */
  readonly digests: { readonly program: string; readonly environment: string };
  readonly can: readonly string[];
  readonly cannot: readonly {
    readonly what: string;
    readonly reason: string;
    readonly fix?: string;
  }[];
}

export interface TrainingResult {
  /** `cancelled`: a verified checkpoint is there, and the same call resumes from it. */
  readonly status: 'done' | 'cancelled';
  readonly metrics: Metrics;
  /** What was trained or written; absent for evaluate, predict and after a cancel. */
  readonly model?: ModelFiles | undefined;
  /** JSON lines of `predict`. */
  readonly predictions?: HashedFile | undefined;
  readonly usage: {
    readonly wallMs: number;
    readonly cpuMs: number;
    readonly peakMemoryBytes: number;
  };
  readonly engine: string;
  readonly version: string;
}

export interface TrainingWatch {
  /** Ends the run with a verified checkpoint; the result says `cancelled`. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: TrainingEvent) => void;
  /**
   * The run's own folder: `checkpoints/` and `result/` in it belong to the engine. Running the same job again in the
   * same folder resumes from the newest verified checkpoint; another job there is refused (`ml.checkpoint_of_other_job`).
   */
  readonly folder: string;
}

/** Executes training jobs. Each run is a process in the sandbox, without network. */
export interface TrainingEngine {
  readonly name: string;
  probe(): Promise<EngineReport>;
  /** Reads sizes, runs nothing. */
  plan(job: TrainingJob): Promise<TrainingPlan>;
  /** Throws `ml.*` and `sandbox.*`; a failed training is an error whose code the last event names, too. */
  run(job: TrainingJob, watch: TrainingWatch): Promise<TrainingResult>;
}
