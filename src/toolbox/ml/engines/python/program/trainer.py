"""Fine-tunes a Llama-shaped model on plain torch. The same job, order of data, first adapters and checkpoints as the embedded engine."""
import array
import hashlib
import json
import math
import os
import sys
import time

SPEC = json.load(open("spec.json"))
JOB = SPEC["job"]
GIVEN = JOB.get("hyperparameters", {})
INPUTS = SPEC["inputs"]
SLICE = SPEC["slice"]
STARTED = time.monotonic()
OUT = sys.stdout.buffer
LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
COUNTED = 0x80000000
written = 0


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def write(data):
    global written
    written += len(data)
    OUT.write(data)


def emit(**event):
    write((json.dumps(event) + "\n").encode())
    OUT.flush()


def send(kind, step, files):
    for name, data in files.items():
        emit(event="file", name=name, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
        write(data)
    emit(event="commit", kind=kind, step=step)


def slice_is_over(size):
    return written + size > SLICE["outputBytes"] or (time.monotonic() - STARTED) * 1000 > SLICE["wallMs"]


class Random:
    """sfc32, as in random.mjs."""

    def __init__(self, seed, stream=0, state=None):
        self.state = list(state or [seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF, stream, 1])
        if state is None:
            for _ in range(15):
                self.next()

    def next(self):
        a, b, c, d = self.state
        total = (a + b + d) & 0xFFFFFFFF
        c2 = (((c << 21) | (c >> 11)) + total) & 0xFFFFFFFF
        self.state = [b ^ (b >> 9), (c + (c << 3)) & 0xFFFFFFFF, c2, (d + 1) & 0xFFFFFFFF]
        return total

    def shuffled(self, count):
        order = list(range(count))
        for at in range(count - 1, 0, -1):
            other = (self.next() * (at + 1)) >> 32
            order[at], order[other] = order[other], order[at]
        return order


def read_tensors(path, torch):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = (8 + size + at for at in entry["data_offsets"])
        kind = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}.get(entry["dtype"])
        if kind is None:
            raise Failure("ml.unsupported_model", f"the tensor {name} has the type {entry['dtype']}")
        found[name] = torch.frombuffer(bytearray(data[start:end]), dtype=kind).float().reshape(entry["shape"])
    return found


def write_tensors(tensors):
    header, parts, end = {"__metadata__": {"format": "pt"}}, [], 0
    for name in sorted(tensors):
        value = tensors[name].detach().contiguous()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [end, end + value.numel() * 4]}
        end += value.numel() * 4
        parts.append(value.numpy().tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def finetune():
    import torch

    torch.set_num_threads(JOB["threads"])
    torch.use_deterministic_algorithms(True)
    config = json.load(open(os.path.join(INPUTS["base"], "config.json")))
    base = {}
    for name in sorted(os.listdir(INPUTS["base"])):
        if name.endswith(".safetensors") and name != "adapter_model.safetensors":
            base.update(read_tensors(os.path.join(INPUTS["base"], name), torch))
    is_lora = JOB["method"] == "lora"
    length, batch = GIVEN["max_seq_length"], GIVEN["per_device_train_batch_size"]
    accumulation = GIVEN["gradient_accumulation_steps"]
    windows = read_windows("train", length, torch)
    count = len(windows)
    steps = GIVEN["max_steps"] or max(1, math.ceil(count * GIVEN["num_train_epochs"] / (batch * accumulation)))
    trained = start_adapters(config, torch) if is_lora else base
    state = {"step": 0, "position": 0, "lossSum": 0.0, "losses": []}
    random = Random(JOB["seed"], 0)
    epoch_random, moments = list(random.state), {}
    if "checkpoint" in INPUTS:
        state, random, moments = load_state(trained, is_lora, torch)
        epoch_random = list(random.state)
    else:
        moments = {name: [torch.zeros_like(value), torch.zeros_like(value)] for name, value in trained.items()}
    order = random.shuffled(count)
    for value in trained.values():
        value.requires_grad_(True)
    model = Llama(config, base, trained if is_lora else {}, torch)
    emit(
        event="start", engine="python", version=SPEC["version"], steps=steps, fromStep=state["step"],
        parameters=sum(value.numel() for value in base.values()),
        trainableParameters=sum(value.numel() for value in trained.values()),
    )  # fmt: skip
    began, last, tokens = time.monotonic(), time.monotonic(), 0
    first = state["step"]
    while state["step"] < steps:
        rate = GIVEN["learning_rate"] * rate_at(state["step"], steps)
        chosen = []
        for _ in range(batch * accumulation):
            if state["position"] == count:
                state["position"] = 0
                epoch_random = list(random.state)
                order = random.shuffled(count)
            chosen.append(order[state["position"]])
            state["position"] += 1
        targets = max(1, int((windows[chosen][:, 1:] >= COUNTED).sum()))
        total = 0.0
        for at in range(0, len(chosen), batch):
            loss, _ = model.loss(windows[chosen[at : at + batch]])
            (loss / targets).backward()
            total += float(loss) / targets
            tokens += batch * length
            now = time.monotonic()
            if now - last > 1:
                last = now
                report(state["step"], steps, total, rate, tokens / (now - began), (steps - state["step"]) * (now - began) / max(1, state["step"] - first))
        if not math.isfinite(total):
            raise Failure("ml.loss_not_finite", f"The loss of step {state['step'] + 1} is {total}: lower learning_rate ({GIVEN['learning_rate']})")
        update(trained, moments, rate, state["step"], torch)
        state["step"] += 1
        state["lossSum"] += total
        state["losses"].append(total)
        now = time.monotonic()
        if now - last > 1 or state["step"] % GIVEN["logging_steps"] == 0 or state["step"] == steps:
            last = now
            report(state["step"], steps, total, rate, tokens / (now - began), (steps - state["step"]) * (now - began) / max(1, state["step"] - first))
        cancelled = os.path.exists(SLICE["cancelFile"])
        due = state["step"] % GIVEN["save_steps"] == 0 and state["step"] < steps
        if cancelled or due or slice_is_over(SLICE["checkpointBytes"] * 2):
            files = checkpoint(trained, moments, state, epoch_random, is_lora)
            send("checkpoint", state["step"], files)
            over = slice_is_over(2 * sum(len(data) for data in files.values()))
            if cancelled or over:
                return emit(event="cancelled" if cancelled else "slice")
    metrics = {"train_loss": state["lossSum"] / steps}
    for split in ("validation", "test"):
        for name, value in (evaluate(model, split, length, batch, steps, torch) or {}).items():
            metrics[f"{split}_{name}"] = value
    files = {}
    if is_lora:
        files["adapter_model.safetensors"] = write_tensors(renamed(trained, is_lora))
        files["adapter_config.json"] = adapter_config()
    if not is_lora or GIVEN["merge"]:
        with torch.no_grad():
            for name, value in base.items():
                stem = name[: -len(".weight")]
                if f"{stem}.lora_A.weight" in trained and is_lora:
                    value += (trained[f"{stem}.lora_B.weight"] @ trained[f"{stem}.lora_A.weight"]) * model.scale
        files["model.safetensors"] = write_tensors(base)
    files["losses.json"] = json.dumps(state["losses"]).encode()
    send("result", steps, files)
    emit(event="done", metrics=metrics)


def report(step, steps, loss, rate, speed, eta):
    memory = int(open("/proc/self/statm").read().split()[1]) * 4096
    emit(event="step", step=step, steps=steps, loss=loss, learningRate=rate, tokensPerSecond=round(speed), memoryBytes=memory, etaMs=round(eta * 1000))


def read_windows(split, length, torch):
    words = array.array("I", open(INPUTS[f"tokens_{split}"], "rb").read())
    return torch.tensor(words.tolist(), dtype=torch.int64).reshape(-1, length)


def rate_at(step, steps):
    warmup, kind = GIVEN["warmup_steps"], GIVEN["lr_scheduler_type"]
    if step < warmup:
        return step / max(1, warmup)
    progress = (step - warmup) / max(1, steps - warmup)
    if kind == "constant":
        return 1.0
    return max(0.0, 1 - progress) if kind == "linear" else max(0.0, 0.5 * (1 + math.cos(math.pi * progress)))


def layer_name(layer, name):
    return f"model.layers.{layer}.{'self_attn' if LINEAR.index(name) < 4 else 'mlp'}.{name}"


def linear_shape(config, name):
    hidden, inner, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    width = config.get("head_dim") or hidden // heads
    keys = (config.get("num_key_value_heads") or heads) * width
    return {"q_proj": (heads * width, hidden), "k_proj": (keys, hidden), "v_proj": (keys, hidden), "o_proj": (hidden, heads * width),
            "gate_proj": (inner, hidden), "up_proj": (inner, hidden), "down_proj": (hidden, inner)}[name]  # fmt: skip


def start_adapters(config, torch):
    random, adapters = Random(JOB["seed"], 1), {}
    for layer in range(config["num_hidden_layers"]):
        for name in LINEAR:
            if name not in GIVEN["lora_target_modules"]:
                continue
            out, into = linear_shape(config, name)
            rank, bound = GIVEN["lora_r"], 1 / math.sqrt(into)
            values = [(random.next() / 2**32 * 2 - 1) * bound for _ in range(rank * into)]
            stem = layer_name(layer, name)
            adapters[f"{stem}.lora_A.weight"] = torch.tensor(values, dtype=torch.float64).float().reshape(rank, into)
            adapters[f"{stem}.lora_B.weight"] = torch.zeros(out, rank)
    return adapters


def renamed(tensors, is_lora):
    return {f"base_model.model.{name}" if is_lora else name: value for name, value in tensors.items()}


def checkpoint(trained, moments, state, epoch_random, is_lora):
    optimizer = {}
    for name, (mean, square) in moments.items():
        optimizer[f"exp_avg.{name}"], optimizer[f"exp_avg_sq.{name}"] = mean, square
    kept = {"global_step": state["step"], "scheduler": {"last_step": state["step"]}, "random": epoch_random,
            "position": state["position"], "lossSum": state["lossSum"], "losses": state["losses"]}  # fmt: skip
    files = {"adapter_model.safetensors" if is_lora else "model.safetensors": write_tensors(renamed(trained, is_lora))}
    if is_lora:
        files["adapter_config.json"] = adapter_config()
    return {**files, "optimizer.safetensors": write_tensors(optimizer), "trainer_state.json": json.dumps(kept).encode()}


def load_state(trained, is_lora, torch):
    folder = INPUTS["checkpoint"]
    stored = read_tensors(os.path.join(folder, "adapter_model.safetensors" if is_lora else "model.safetensors"), torch)
    optimizer = read_tensors(os.path.join(folder, "optimizer.safetensors"), torch)
    for name, value in trained.items():
        value.copy_(stored[f"base_model.model.{name}" if is_lora else name])
    kept = json.load(open(os.path.join(folder, "trainer_state.json")))
    state = {"step": kept["global_step"], "position": kept["position"], "lossSum": kept["lossSum"], "losses": kept["losses"]}
    moments = {name: [optimizer[f"exp_avg.{name}"], optimizer[f"exp_avg_sq.{name}"]] for name in trained}
    return state, Random(0, 0, kept["random"]), moments


def adapter_config():
    return json.dumps({"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": JOB["base"]["folder"].split("/")[-1],
                       "r": GIVEN["lora_r"], "lora_alpha": GIVEN["lora_alpha"], "lora_dropout": 0, "bias": "none",
                       "target_modules": GIVEN["lora_target_modules"]}, indent=2).encode()  # fmt: skip


def update(trained, moments, rate, step, torch):
    b1, b2, epsilon = GIVEN["adam_beta1"], GIVEN["adam_beta2"], GIVEN["adam_epsilon"]
    with torch.no_grad():
        norm = math.sqrt(sum(float((value.grad.double() ** 2).sum()) for value in trained.values()))
        most = GIVEN["max_grad_norm"]
        clip = min(1.0, most / (norm + 1e-6)) if most > 0 else 1.0
        c1, c2 = 1 - b1 ** (step + 1), math.sqrt(1 - b2 ** (step + 1))
        for name, value in trained.items():
            mean, square = moments[name]
            gradient = value.grad * clip
            mean.mul_(b1).add_(gradient, alpha=1 - b1)
            square.mul_(b2).addcmul_(gradient, gradient, value=1 - b2)
            if value.dim() > 1:
                value.mul_(1 - rate * GIVEN["weight_decay"])
            value.addcdiv_(mean, (square.sqrt() / c2).add_(epsilon), value=-rate / c1)
            value.grad = None


class Llama:
    def __init__(self, config, weights, adapters, torch):
        self.torch, self.config, self.weights, self.adapters = torch, config, weights, adapters
        self.scale = GIVEN.get("lora_alpha", 0) / max(1, GIVEN.get("lora_r", 1))
        self.heads = config["num_attention_heads"]
        self.groups = config.get("num_key_value_heads") or self.heads
        self.width = config.get("head_dim") or config["hidden_size"] // self.heads
        length, half = GIVEN["max_seq_length"], self.width // 2
        frequency = 1.0 / (config.get("rope_theta", 10000.0) ** (torch.arange(0, half * 2, 2).float() / self.width))
        angles = torch.outer(torch.arange(length).float(), frequency)
        angles = torch.cat((angles, angles), dim=-1)
        self.cos, self.sin = angles.cos(), angles.sin()
        self.mask = torch.full((length, length), float("-inf")).triu(1)

    def linear(self, name, x):
        y = x @ self.weights[f"{name}.weight"].T
        if f"{name}.lora_A.weight" in self.adapters:
            y = y + (x @ self.adapters[f"{name}.lora_A.weight"].T) @ self.adapters[f"{name}.lora_B.weight"].T * self.scale
        return y

    def norm(self, name, x):
        scale = self.torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.config.get("rms_norm_eps", 1e-6))
        return self.weights[f"{name}.weight"] * (x * scale)

    def rotate(self, x):
        half = self.width // 2
        return x * self.cos + self.torch.cat((-x[..., half:], x[..., :half]), dim=-1) * self.sin

    def logits(self, tokens):
        torch = self.torch
        count, length = tokens.shape
        x = self.weights["model.embed_tokens.weight"][tokens]
        for layer in range(self.config["num_hidden_layers"]):
            stem = f"model.layers.{layer}"
            h = self.norm(f"{stem}.input_layernorm", x)
            q, k, v = (
                self.linear(f"{stem}.self_attn.{name}_proj", h).view(count, length, many, self.width).transpose(1, 2)
                for name, many in (("q", self.heads), ("k", self.groups), ("v", self.groups))
            )
            q, k = self.rotate(q), self.rotate(k)
            if self.groups < self.heads:
                k, v = (value.repeat_interleave(self.heads // self.groups, dim=1) for value in (k, v))
            p = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(self.width) + self.mask, dim=-1)
            o = (p @ v).transpose(1, 2).reshape(count, length, -1)
            x = x + self.linear(f"{stem}.self_attn.o_proj", o)
            h = self.norm(f"{stem}.post_attention_layernorm", x)
            act = torch.nn.functional.silu(self.linear(f"{stem}.mlp.gate_proj", h)) * self.linear(f"{stem}.mlp.up_proj", h)
            x = x + self.linear(f"{stem}.mlp.down_proj", act)
        head = "model.embed_tokens.weight" if self.config.get("tie_word_embeddings") else "lm_head.weight"
        return self.norm("model.norm", x) @ self.weights[head].T

    def loss(self, words):
        """Sum over the tokens that count, and how many of them had the highest score."""
        tokens = words & 0x7FFFFFFF
        wanted = self.torch.where(words[:, 1:] >= COUNTED, tokens[:, 1:], -100)
        logits = self.logits(tokens)[:, :-1].reshape(-1, self.config["vocab_size"])
        loss = self.torch.nn.functional.cross_entropy(logits, wanted.reshape(-1), ignore_index=-100, reduction="sum")
        return loss, int((logits.argmax(-1) == wanted.reshape(-1)).sum())


def evaluate(model, split, length, batch, step, torch):
    if f"tokens_{split}" not in INPUTS:
        return None
    windows = read_windows(split, length, torch)
    total, right = 0.0, 0
    targets = int((windows[:, 1:] >= COUNTED).sum())
    with torch.no_grad():
        for at in range(0, len(windows), batch):
            loss, hits = model.loss(windows[at : at + batch])
            total, right = total + float(loss), right + hits
    if targets == 0:
        return None
    metrics = {"loss": total / targets, "perplexity": math.exp(total / targets), "top1": 100 * right / targets, "tokens": targets}
    emit(event="eval", step=step, split=split, metrics=metrics)
    return metrics


try:
    finetune()
except Failure as failure:
    emit(event="error", code=failure.code, message=str(failure))
    sys.exit(1)
except Exception as error:
    is_memory = isinstance(error, MemoryError) or "allocate memory" in str(error)
    emit(event="error", code="ml.out_of_memory" if is_memory else "ml.training_failed", message=f"{type(error).__name__}: {error}")
    raise
