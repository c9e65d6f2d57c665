"""Says which modules can be imported and how fast torch multiplies matrices with one thread."""
import json
import platform
import time
from importlib import metadata

modules = {}
for name in ("torch", "transformers", "peft", "datasets", "sklearn", "xgboost"):
    try:
        modules[name] = str(getattr(__import__(name), "__version__", "?"))
    except Exception:
        pass
gigaflops = 0.0
if "torch" in modules:
    import torch

    torch.set_num_threads(1)
    one, other = torch.randn(512, 352), torch.randn(352, 512)
    one @ other
    started = time.process_time()
    for _ in range(20):
        one @ other
    gigaflops = 20 * 2 * 512 * 352 * 512 / max(1e-6, time.process_time() - started) / 1e9
installed = sorted("%s==%s" % (one.metadata["Name"], one.version) for one in metadata.distributions())
print(json.dumps({"installed": installed, "python": platform.python_version(), "modules": modules, "gigaflops": gigaflops}))
