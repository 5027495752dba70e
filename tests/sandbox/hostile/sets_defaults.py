# Changes what is the same for the whole process: dtype, device, threads, grad mode, determinism, seeds.
import torch

torch.set_default_dtype(torch.float64)
torch.set_default_device("meta")
torch.set_num_threads(2)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.autograd.set_detect_anomaly(True)
torch.manual_seed(0)


def attempt():
    made = torch.zeros(1)
    return (
        made.dtype,
        str(made.device),
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        torch.are_deterministic_algorithms_enabled(),
    )
